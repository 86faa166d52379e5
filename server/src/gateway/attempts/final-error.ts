import { END_REASON, type EndReason } from '@tollgate/contract'
import { isAboutRequest } from '@tollgate/relay'
import type { PricedTarget } from '../billing/terms.ts'
import { Refusal } from '../errors.ts'
import type { HealthTracker } from '../routing/health.ts'
import type { FailedAttempt } from './attempts.ts'

/*
 * How a request ends that no channel served: the client's error, and the end reason in the log.
 */

/** Prefers a refusal of the request itself, then a failure that may pass, then the last failure. */
export function pickReportedFailure(failures: readonly FailedAttempt[]): FailedAttempt | undefined {
  return (
    failures.find(
      (failure) => failure.class === 'non_retryable' || failure.class === 'context_too_long',
    ) ??
    failures.findLast((failure) => failure.class === 'transient') ??
    failures.at(-1)
  )
}

export function endReasonOf(failure: FailedAttempt, isPastDeadline: boolean): EndReason {
  if (failure.class === 'non_retryable' || isAboutRequest(failure.problem))
    return END_REASON.requestRefused
  return isPastDeadline ? END_REASON.deadline : END_REASON.upstreamError
}

const MS = 1000

/** No channel was tried: every Retry-After exceeds the 5 s a request may wait. */
export function channelsWaiting(
  { retryAfterMs }: Pick<HealthTracker, 'retryAfterMs'>,
  targets: readonly PricedTarget[],
): Refusal {
  const waitMs = Math.min(...targets.map(retryAfterMs))
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / MS))
  return new Refusal({
    status: 503,
    code: 'channels_waiting',
    param: 'model',
    message: `The providers of this model asked for a pause. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  })
}
