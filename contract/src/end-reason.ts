/** Why a request ended; stored in its log row. */
export const END_REASON = {
  finished: 'finished',
  /** Every attempt failed. */
  upstreamError: 'upstream_error',
  /** The upstream rejected the request itself as invalid. */
  requestRefused: 'request_refused',
  brokenStream: 'broken_stream',
  /** The answer had no output, and the option EmptyAnswers does not charge such answers. */
  emptyAnswer: 'empty_answer',
  clientLeft: 'client_left',
  noChannel: 'no_channel',
  deadline: 'deadline',
  /** The user's or token's balance ran out mid-response. */
  quotaUsedUp: 'quota_used_up',
  /** The hold could not be raised mid-response because the database was unavailable. */
  databaseAway: 'database_away',
  /** The hold could not be written to the journal, so no channel was asked. */
  journalUnavailable: 'journal_away',
  internalError: 'internal_error',
  /** The server process ended before the request did. */
  interrupted: 'interrupted',
  /** The hold was older than three hours; the leak detector voided it. */
  leaked: 'never_ended',
} as const

export type EndReason = (typeof END_REASON)[keyof typeof END_REASON]
