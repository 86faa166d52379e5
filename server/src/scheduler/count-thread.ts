import { Worker } from 'node:worker_threads'
import type { EncodingName } from '@tollgate/relay'
import type { CountCall, CountReply } from './count-worker.ts'

type CountRequest = {
  readonly owner: number
  readonly bytes: number
  readonly resolve: (counts: readonly number[]) => void
  readonly reject: (error: Error) => void
}

/** A thread that ends at once would otherwise be started for every job. */
const RESTART_MS = 1000

/**
 * Counts tokens on a thread of its own: an encoding takes 0.3 s to load and a long text 0.5 s to
 * count, and other requests must not wait for either. The thread starts with the first job. Owners
 * take turns, however many jobs each has.
 */
export class CountThread {
  readonly #requests = new Map<number, CountRequest>()
  #worker: Worker | null = null
  #lastId = 0
  #endedAt = -Infinity
  #reason = ''

  /**
   * Rejects if the encoding fails or the thread ends, for example out of memory. `bytes` is the
   * memory that the caller keeps while the job waits.
   */
  count(
    { owner, bytes = 0 }: { owner: number; bytes?: number },
    encoding: EncodingName,
    texts: readonly string[],
  ): Promise<readonly number[]> {
    if (texts.every((text) => text === '')) return Promise.resolve(texts.map(() => 0))
    return new Promise((resolve, reject) => {
      const worker = this.#worker ?? this.#start()
      if (worker === null) return reject(new Error(this.#reason))
      const id = ++this.#lastId
      this.#requests.set(id, { owner, bytes, resolve, reject })
      // The process ends only after the last job.
      worker.ref()
      worker.postMessage({ id, owner, encoding, texts } satisfies CountCall)
    })
  }

  waiting(owner: number): { readonly count: number; readonly bytes: number } {
    const ownRequests = [...this.#requests.values()].filter((request) => request.owner === owner)
    return {
      count: ownRequests.length,
      bytes: ownRequests.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }

  #end(reply: CountReply) {
    const request = this.#requests.get(reply.id)
    this.#requests.delete(reply.id)
    if (this.#requests.size === 0) this.#worker?.unref()
    if ('counts' in reply) request?.resolve(reply.counts)
    else request?.reject(new Error(reply.error))
  }

  /** Null if the thread ended a moment ago or cannot be created. */
  #start(): Worker | null {
    if (performance.now() - this.#endedAt < RESTART_MS) return null
    try {
      const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
      const worker = new Worker(new URL(`./count-worker.${extension}`, import.meta.url))
      worker.on('message', (reply: CountReply) => this.#end(reply))
      worker.on('error', (error: unknown) => (this.#reason = messageOf(error)))
      worker.on('exit', () => this.#fail())
      this.#reason = 'the counting thread has ended'
      this.#worker = worker
      return worker
    } catch (error) {
      this.#reason = messageOf(error)
      this.#endedAt = performance.now()
      return null
    }
  }

  #fail() {
    this.#worker = null
    this.#endedAt = performance.now()
    const requests = [...this.#requests.values()]
    this.#requests.clear()
    for (const { reject } of requests) reject(new Error(this.#reason))
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** One per process. */
export const countThread = new CountThread()
