import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { countTextsHere, type EncodingName } from '@tollgate/relay/token-encodings'

export type CountCall = { encoding: EncodingName; texts: readonly string[] }
export type CountReply = { counts: readonly number[] } | { error: string }

/** A nice value that gives counting a third of the main thread's CPU share under contention. */
const NICENESS = 5
const NICENESS_MAX = 19

const port = parentPort
if (port === null) throw new Error('count-worker must be started as a worker thread')

// Linux only: elsewhere the priority applies to the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(NICENESS_MAX, getPriority() + NICENESS))
  } catch {
    // Some sandboxes forbid setting the priority; counting works without it.
  }
}

port.on('message', (call: CountCall) => {
  void count(call).then((reply) => port.postMessage(reply))
})

async function count({ encoding, texts }: CountCall): Promise<CountReply> {
  try {
    return { counts: await countTextsHere(encoding, texts) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
