import { Worker } from 'node:worker_threads'
import type { BcryptCall } from './bcrypt-worker.ts'

const BCRYPT = /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z\d]{53}$/
/** About a second; other gateways use 10. */
const COST_MAX = 14

/** Hashes of accounts that were imported and have not logged in since. */
export const isBcrypt = (stored: string | undefined): stored is string =>
  Number(BCRYPT.exec(stored ?? '')?.groups?.['cost'] ?? Infinity) <= COST_MAX

/** Uses a thread, because a check takes some 60 ms. Each account needs it once. */
export function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./bcrypt-worker.${extension}`, import.meta.url), {
      workerData: { password, hash } satisfies BcryptCall,
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that checks a password has ended')))
  })
}
