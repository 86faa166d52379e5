import type { AttemptReason, EndReason, LogResult } from '@tollgate/contract'

/** `hold_unconfirmed` occurs only in rows of earlier versions. */
export type EndTexts = Record<EndReason | 'hold_unconfirmed', string>
export type ResultTexts = Record<LogResult, string>
export type AttemptTexts = Record<AttemptReason, string>
