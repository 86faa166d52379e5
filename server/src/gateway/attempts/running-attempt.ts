import { ATTEMPT_REASON, type AttemptRecord } from '@tollgate/contract'
import type { PricedTarget } from '../billing/terms.ts'
import type { HealthObservation } from '../routing/health.ts'
import type { AttemptExchange, AttemptOutcome } from './attempt-outcome.ts'

export type RunningAttempt = {
  readonly target: PricedTarget
  readonly key: string
  readonly outcome: Promise<AttemptOutcome>
  readonly exchange: Pick<AttemptExchange, 'isQueued' | 'cancel' | 'abandon'>
  /** Receives the outcome once, for the channel's health. */
  readonly probe: HealthObservation
  readonly startedAt: number
  /** By a monotonic clock; a promise while the request is prepared. Null if it was not sent. */
  readonly sentAt: number | null | Promise<number | null>
  /** Its record in the log row. */
  readonly record: AttemptRecord
  /** The Responses API is tried at an address that may lack it. */
  readonly isTrial: boolean
}

/** Why an attempt after the first was started. */
export type AttemptRole = Pick<AttemptRecord, 'hedged' | 'rescued'>

export const FIRST: AttemptRole = {}

/** `key` is not the key itself, but what identifies it. */
export function newAttemptRecord(
  { id, upstreamModel }: PricedTarget,
  key: string,
  role: AttemptRole,
): AttemptRecord {
  const record: AttemptRecord = {
    channel: id,
    status: 0,
    reason: ATTEMPT_REASON.unfinished,
    milliseconds: 0,
    model: upstreamModel,
    key,
  }
  if (role !== FIRST) Object.assign(record, role)
  return record
}

/** Text that a provider is asked to continue, and the output limit for what follows. */
export type Prefill = {
  readonly text: string
  /** The provider repeats the text before new output. */
  readonly repeats: boolean
  readonly outputLimit: number | null
}
