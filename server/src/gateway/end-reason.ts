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
  internalError: 'internal_error',
} as const

export type EndReason = (typeof END_REASON)[keyof typeof END_REASON]
