/** The deadlines and sizes every call to a provider keeps; tests pass shorter ones. */
export type UpstreamLimits = {
  readonly connectMs: number
  /** From sending the request to the first sign of an answer. */
  readonly firstByteMs: number
  /** Between two pieces of an answer. */
  readonly idleMs: number
  readonly totalMs: number
  /** Between two questions after what a provider has queued. */
  readonly pollMs: number
  /** How long the end of an answer nobody reads any more is waited for, to keep its connection. */
  readonly tailMs: number
  readonly answerBytesMax: number
  readonly errorBytesMax: number
}

export const UPSTREAM_LIMITS: UpstreamLimits = {
  connectMs: 10_000,
  firstByteMs: 300_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  pollMs: 2000,
  tailMs: 5000,
  answerBytesMax: 64 * 1024 * 1024,
  errorBytesMax: 64 * 1024,
}
