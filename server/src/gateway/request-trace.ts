import type { RelayEndpoint } from '@tollgate/relay'

/** Where and when an attempt was sent. */
export type TracedAttempt = {
  /** Unix milliseconds. */
  readonly at: number
  readonly channelType: number
  readonly baseUrl: string
}

export type TracedRequest = {
  readonly requestId: string
  /** The client's header, as it was received. */
  readonly traceparent: string | undefined
  readonly endpoint: RelayEndpoint
  /** Unix milliseconds. */
  readonly arrivedAt: number
}

/** Collects what the trace of an admitted request needs and its end record does not have. */
export type RequestTrace = {
  /** Called in the order of the end record's attempts. */
  attemptStarted: (attempt: TracedAttempt) => void
}

export type RequestTracing = { begin: (request: TracedRequest) => RequestTrace }
