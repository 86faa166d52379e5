import type { AttemptReason } from '@tollgate/contract'

export type AttemptTexts = Record<AttemptReason, string>
