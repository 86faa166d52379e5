import { Worker } from 'node:worker_threads'
import type { EncodingName } from '@tollgate/relay'
import type { CountCall, CountReply } from './count-worker.ts'
import type { Owner } from './fair-scheduler.ts'

type Job = CountCall & {
  readonly resolve: (counts: readonly number[]) => void
  readonly reject: (error: Error) => void
}

/**
 * Counts tokens on a thread of its own: an encoding takes 0.3 s to load and a long text 0.1 s to
 * count, and other requests must not wait for either. The thread starts with the first job. Owners
 * take turns, however many jobs each has.
 */
export class CountThread {
  /** In the order of their turns. */
  readonly #queues = new Map<Owner, Job[]>()
  #worker: Worker | null = null
  #running: Job | null = null

  /** Rejects if the encoding fails or the thread ends, for example out of memory. */
  count(
    owner: Owner,
    encoding: EncodingName,
    texts: readonly string[],
  ): Promise<readonly number[]> {
    if (texts.every((text) => text === '')) return Promise.resolve(texts.map(() => 0))
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(owner) ?? []
      this.#queues.set(owner, queue)
      queue.push({ encoding, texts, resolve, reject })
      if (this.#running === null) this.#runNext()
    })
  }

  #runNext() {
    const [next] = this.#queues
    if (next === undefined) return
    const [owner, queue] = next
    this.#queues.delete(owner)
    this.#running = queue.shift() ?? null
    if (queue.length > 0) this.#queues.set(owner, queue)
    if (this.#running === null) return
    const { encoding, texts } = this.#running
    try {
      this.#worker ??= this.#start()
      // The process ends only after the running job.
      this.#worker.ref()
      this.#worker.postMessage({ encoding, texts } satisfies CountCall)
    } catch (error) {
      this.#end({ error: messageOf(error) })
    }
  }

  #end(reply: CountReply) {
    const job = this.#running
    this.#running = null
    this.#worker?.unref()
    if ('counts' in reply) job?.resolve(reply.counts)
    else job?.reject(new Error(reply.error))
    this.#runNext()
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./count-worker.${extension}`, import.meta.url))
    let reason = 'the counting thread has ended'
    worker.on('message', (reply: CountReply) => this.#end(reply))
    worker.on('error', (error: unknown) => (reason = messageOf(error)))
    worker.on('exit', () => {
      this.#worker = null
      if (this.#running !== null) this.#end({ error: reason })
    })
    return worker
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** One per process. */
export const countThread = new CountThread()
