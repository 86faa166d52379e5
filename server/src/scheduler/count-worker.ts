import { parentPort } from 'node:worker_threads'
import { type EncodingName, loadCounter } from '@tollgate/relay/counting'
import { lowerThreadPriority } from '../thread-priority.ts'
import { FairScheduler, type Owner } from './fair-scheduler.ts'

export type CountCall = {
  id: number
  owner: Owner
  encoding: EncodingName
  texts: readonly string[]
}
export type CountReply = { id: number; counts: readonly number[] } | { id: number; error: string }

const port = parentPort
if (port === null) throw new Error('count-worker must be started as a worker thread')

lowerThreadPriority()

/** Owners take turns in slices, so that a long text delays others by at most a slice. */
const scheduler = new FairScheduler()

port.on('message', (call: CountCall) => {
  void count(call).then((reply) => port.postMessage(reply))
})

async function count({ id, owner, encoding, texts }: CountCall): Promise<CountReply> {
  try {
    const counter = await loadCounter(encoding)
    return { id, counts: await scheduler.run(owner, counter(texts)) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}
