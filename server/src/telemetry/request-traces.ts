import { LRUCache } from 'lru-cache'
import type {
  RequestTrace,
  RequestTracing,
  TracedAttempt,
  TracedRequest,
} from '../gateway/request-trace.ts'

/** Requests that have begun and not ended. Each takes some hundred bytes. */
const OPEN_MAX = 50_000

export type OpenTrace = TracedRequest & { readonly attempts: readonly TracedAttempt[] }

/** Keeps the traces of running requests until their end records arrive. */
export class RequestTraces implements RequestTracing {
  readonly #open = new LRUCache<string, OpenTrace>({ max: OPEN_MAX })

  begin(request: TracedRequest): RequestTrace {
    const attempts: TracedAttempt[] = []
    this.#open.set(request.requestId, { ...request, attempts })
    return { attemptStarted: (attempt) => void attempts.push(attempt) }
  }

  /** Undefined for a request that was never traced, such as one of a Realtime session. */
  take(requestId: string): OpenTrace | undefined {
    const trace = this.#open.get(requestId)
    this.#open.delete(requestId)
    return trace
  }
}
