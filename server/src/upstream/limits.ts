/** Deadlines and sizes of every provider call; tests pass smaller values. */
export type UpstreamLimits = {
  readonly connectMs: number
  /** From sending the request to the first byte of the answer. */
  readonly firstByteMs: number
  /** Between two chunks of an answer. */
  readonly idleMs: number
  readonly totalMs: number
  /** Between two polls of an async task. */
  readonly pollMs: number
  /** How long to wait for the end of a released answer, so that its connection can be reused. */
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
