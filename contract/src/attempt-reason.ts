/**
 * Why an attempt did not deliver the answer, where the reason is not a problem of its provider;
 * stored in the log row of the request.
 */
export const ATTEMPT_REASON = {
  /** The attempt has not ended. */
  unfinished: 'unfinished',
  clientLeft: 'client_left',
  /** The balance ended while the provider reasoned. */
  unpaid: 'quota_used_up',
  /** The attempt was late, and its hedge answered first. */
  lostHedge: 'overtaken',
  /** The hedge was not needed: the late attempt answered first. */
  hedgeNotNeeded: 'late_one_spoke',
  /** The failover was not needed: the stalled stream resumed. */
  streamResumed: 'stream_went_on',
  /** The stream differed from the text that the client had received. */
  diverged: 'departed',
} as const

export type AttemptReason = (typeof ATTEMPT_REASON)[keyof typeof ATTEMPT_REASON]
