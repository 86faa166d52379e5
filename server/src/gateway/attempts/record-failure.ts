import { isAboutRequest, type UpstreamProblem } from '@tollgate/relay'
import type { Failure, FailureClass } from '../../domain/retry-policy.ts'
import type { RelayDeps } from '../context.ts'
import type { Target } from '../routing/channel-registry.ts'
import type { ChannelModel, HealthObservation } from '../routing/health.ts'

export const reasonOf = ({ kind, detail }: UpstreamProblem) => `${kind}: ${detail}`

/** The class that asks the same channel again at once. The adapted request may keep its key. */
export const RETRY_ADAPTED = { class: 'other_key', retryAfterMs: null } as const

type FailedCall = {
  readonly target: ChannelModel
  readonly key: string
  readonly probe: HealthObservation
}

/**
 * Reports a failure to the key ring and to the channel's health. Returns what it means for the next
 * attempt.
 */
export function recordFailure(
  { autoDisable }: Pick<RelayDeps, 'autoDisable'>,
  { target, key, probe }: FailedCall,
  {
    problem,
    status,
    failureClass,
  }: { problem: UpstreamProblem; status: number; failureClass: FailureClass },
): Pick<Failure<Target>, 'class' | 'retryAfterMs'> {
  const { keys } = target.channel
  const hasOtherKey = autoDisable.report(target, key, problem)
  const { retryAfterMs } = problem
  const isLimited = problem.kind === 'rate_limit'
  const channelRetryAfterMs = isLimited
    ? keys.retryAfterMs(target.upstreamModel, retryAfterMs)
    : retryAfterMs
  if (hasOtherKey || isUnsent(problem, status)) probe.dropped()
  else probe.failed(problem, channelRetryAfterMs)
  // Without a Retry-After the channel cools down for other requests; this one does not wait.
  const waitMs = retryAfterMs === null ? null : channelRetryAfterMs
  return { class: hasOtherKey ? 'other_key' : failureClass, retryAfterMs: waitMs }
}

/** Nothing was sent: the provider does not support a parameter of the request. */
const isUnsent = (problem: UpstreamProblem, status: number) =>
  status === 0 && isAboutRequest(problem)

export function classOf(problem: UpstreamProblem, status: number): FailureClass {
  const { kind, isTransient } = problem
  if (isUnsent(problem, status)) return 'channel_failed'
  if (kind === 'invalid_request' || kind === 'content_policy') return 'non_retryable'
  if (kind === 'context_length') return 'context_too_long'
  return isTransient ? 'transient' : 'channel_failed'
}

/** Statuses about the key or a slow poll. The queued task runs all the same. */
const POLL_STATUSES: ReadonlySet<number> = new Set([401, 403, 408])
/** Whether this status says that a queued task was not run. */
export const showsTaskFailed = (status: number) =>
  status > 0 && status < 429 && !POLL_STATUSES.has(status)

/**
 * Once a channel has answered, earlier refusals concern only their own channels. A refusal by
 * content policy stays final.
 */
export function asChannelFailure<
  Failed extends Pick<Failure<Target>, 'class'> & { readonly problem: UpstreamProblem },
>(failure: Failed): Failed {
  const isRequestRefusal =
    isAboutRequest(failure.problem) && failure.problem.kind !== 'content_policy'
  return isRequestRefusal ? { ...failure, class: 'channel_failed' } : failure
}
