/** Why a request ended as it did; stored in its log row. */
export const END_REASON = {
  finished: 'finished',
  /** No channel gave an answer. */
  upstreamError: 'upstream_error',
  /** The upstream refused this request itself. */
  requestRefused: 'request_refused',
  brokenStream: 'broken_stream',
  clientLeft: 'client_left',
  noChannel: 'no_channel',
  deadline: 'deadline',
  /** The owner's balance, or the token's, came to its end in the middle of the answer. */
  quotaUsedUp: 'quota_used_up',
  /** In the middle of the answer no more could be held, as the database did not answer. */
  databaseAway: 'database_away',
  internalError: 'internal_error',
  /** Its server ended before it did. */
  interrupted: 'interrupted',
} as const

export type EndReason = (typeof END_REASON)[keyof typeof END_REASON]
