import { END_REASON, type EndReason } from '@tollgate/contract'
import { isAboutRequest } from '@tollgate/relay'
import type { PricedTarget } from '../billing/terms.ts'
import { Refusal } from '../errors.ts'
import type { HealthBook } from '../routing/health.ts'
import type { FailedAttempt } from './attempts.ts'

/*
 * How a request ends that nobody served: what its client is told, and what its log row says.
 */

/** A refusal of the request itself says most; next what a client may wait for; last what it may not. */
export function pickReportedFailure(failures: readonly FailedAttempt[]): FailedAttempt | undefined {
  return (
    failures.find((failure) => failure.class === 'final' || failure.class === 'too_long') ??
    failures.findLast((failure) => failure.class === 'passing') ??
    failures.at(-1)
  )
}

/** Of the failure that is told; `isLate` when the time for all tries is over. */
export function endReasonOf(told: FailedAttempt, isLate: boolean): EndReason {
  if (told.class === 'final' || isAboutRequest(told.problem)) return END_REASON.requestRefused
  return isLate ? END_REASON.deadline : END_REASON.upstreamError
}

const MS = 1000

/** Nobody was asked: every provider had asked for a time that is longer than a request waits. */
export function allWait(
  { leftAloneMs }: Pick<HealthBook, 'leftAloneMs'>,
  targets: readonly PricedTarget[],
): Refusal {
  const waitMs = Math.min(...targets.map(leftAloneMs))
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / MS))
  return new Refusal({
    status: 503,
    code: 'channels_waiting',
    param: 'model',
    message: `Every channel for this model has to wait, as its provider asked. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  })
}
