import { parentPort, workerData } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'
import { lowerThreadPriority } from '../thread-priority.ts'

export type BcryptCall = { readonly password: string; readonly hash: string }

lowerThreadPriority()

// Safe because bcrypt.ts starts this thread with a call.
const { password, hash } = workerData as BcryptCall
parentPort?.postMessage(compareSync(password, hash))
