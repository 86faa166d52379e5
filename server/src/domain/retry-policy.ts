import { chooseWeighted, topTier } from './channel-choice.ts'

export type Candidate = {
  readonly id: number
  readonly priority: number
  readonly weight: number
  /** Lower ranks come first within a priority; absent if cost does not matter. */
  readonly costRank?: number
  /** The channel's name for the requested model. */
  readonly upstreamModel: string
}

/**
 * What a failure before the first token means for the next attempt.
 *
 * - `transient`: the channel may succeed in a moment.
 * - `other_key`: the channel may succeed at once with another of its keys.
 * - `channel_failed`: the channel will not succeed.
 * - `context_too_long`: only another model can take the prompt.
 * - `non_retryable`: no channel will succeed.
 */
export type FailureClass =
  | 'transient'
  | 'other_key'
  | 'channel_failed'
  | 'context_too_long'
  | 'non_retryable'

export type Failure<Channel extends Candidate> = {
  readonly channel: Channel
  readonly class: FailureClass
  /** The provider's Retry-After in milliseconds; null if there was none. */
  readonly retryAfterMs: number | null
}

export type NextAttempt<Channel extends Candidate> =
  | { type: 'try'; channel: Channel; afterMs: number }
  | { type: 'give_up' }

export type RetryContext<Channel extends Candidate> = {
  /** Channels that may be used now. A channel that has failed may be missing. */
  readonly candidates: readonly Channel[]
  /** Oldest first. */
  readonly failures: readonly Failure<Channel>[]
  readonly retryTimes: number
  /** Until the deadline of all attempts together. */
  readonly msLeft: number
  /** Remaining cooldown of a channel; 0 if it is ready. */
  readonly cooldownMs: (channel: Channel) => number
  /** The part of the cooldown that the provider's Retry-After accounts for. */
  readonly retryAfterMs: (channel: Channel) => number
  readonly random: () => number
  /** The channel that has the session's prompt in its cache; absent or null for none. */
  readonly preferred?: number | null
}

/** A longer Retry-After is not waited for; the channel stays in cooldown. */
export const RETRY_AFTER_MS_MAX = 5000
export const PAUSE_MS_MIN = 100
const PAUSE_MS_SPREAD = 300

const GIVE_UP = { type: 'give_up' } as const

export function nextAttempt<Channel extends Candidate>(
  context: RetryContext<Channel>,
): NextAttempt<Channel> {
  const { candidates, failures, retryTimes } = context
  const last = failures.at(-1)
  if (last === undefined) return choose(candidates, context)
  if (isExhausted(context)) return GIVE_UP

  const untried = untriedCandidates(context)
  const tooLong = failures.find((failure) => failure.class === 'context_too_long')
  if (tooLong !== undefined) {
    if (tooLong !== last) return GIVE_UP
    const { upstreamModel } = last.channel
    return choose(
      untried.filter((channel) => channel.upstreamModel !== upstreamModel),
      context,
    )
  }

  const readyInTier = (channels: readonly Channel[]) =>
    readyOf(channels, context).filter(({ priority }) => priority === last.channel.priority)
  // An untried channel is likelier to answer than one that has failed.
  const isLastAttempt = failures.length === retryTimes
  const ready = isLastAttempt ? readyOf(untried, context) : readyInTier(untried)
  if (ready.length > 0) return choose(ready, context)
  const readyKeys = readyInTier(withRemainingKeys(context))
  if (readyKeys.length > 0) return choose(readyKeys, context)
  const sameRetry = retrySame(context, last)
  if (sameRetry.type === 'try') return sameRetry
  const otherAttempt = choose([...untried, ...withRemainingKeys(context)], context)
  return otherAttempt.type === 'try' ? otherAttempt : retryEarlier(context, last)
}

/**
 * Like `nextAttempt`, for a stream that broke off: tries all other channels first and the same
 * channel last.
 */
export function nextFailover<Channel extends Candidate>(
  context: RetryContext<Channel>,
): NextAttempt<Channel> {
  const last = context.failures.at(-1)
  if (last === undefined || isExhausted(context)) return GIVE_UP
  const untriedAttempt = choose(untriedCandidates(context), context)
  if (untriedAttempt.type === 'try') return untriedAttempt
  const sameRetry = retrySame(context, last)
  if (sameRetry.type === 'try') return sameRetry
  const otherAttempt = choose(withRemainingKeys(context), context)
  return otherAttempt.type === 'try' ? otherAttempt : retryEarlier(context, last)
}

/** A channel for a hedged attempt: neither tried, running nor cooling. */
export function nextHedge<Channel extends Candidate>(
  context: RetryContext<Channel>,
  running: readonly Channel[],
): Channel | undefined {
  const ready = readyOf(hedgeCandidates(context, running), context)
  return chooseWeighted(topTier(ready), context.random)
}

/** Milliseconds until a hedged attempt is possible; Infinity if never. */
export function nextHedgeDelayMs<Channel extends Candidate>(
  context: RetryContext<Channel>,
  running: readonly Channel[],
): number {
  const ms = Math.min(...hedgeCandidates(context, running).map(context.cooldownMs))
  return ms < context.msLeft ? ms : Infinity
}

/** Channels for a hedged attempt, whether cooling or not. */
function hedgeCandidates<Channel extends Candidate>(
  context: RetryContext<Channel>,
  running: readonly Channel[],
): readonly Channel[] {
  const { failures, retryTimes, msLeft } = context
  if (failures.length + running.length > retryTimes || msLeft <= 0) return []
  if (failures.some(({ class: kind }) => kind === 'context_too_long' || kind === 'non_retryable'))
    return []
  const ids = new Set(running.map(({ id }) => id))
  return untriedCandidates(context).filter(({ id }) => !ids.has(id))
}

/** A hedged attempt may fail after another attempt was finally refused. */
function isExhausted<Channel extends Candidate>({
  failures,
  retryTimes,
  msLeft,
}: RetryContext<Channel>): boolean {
  const isRefused = failures.some((failure) => failure.class === 'non_retryable')
  return isRefused || failures.length > retryTimes || msLeft <= 0
}

function untriedCandidates<Channel extends Candidate>({
  candidates,
  failures,
}: RetryContext<Channel>) {
  const tried = new Set(failures.map(({ channel }) => channel.id))
  return candidates.filter(({ id }) => !tried.has(id))
}

/** Channels whose last failure concerned only one of their keys. */
function withRemainingKeys<Channel extends Candidate>({
  candidates,
  failures,
}: RetryContext<Channel>) {
  const last = new Map(failures.map((failure) => [failure.channel.id, failure.class]))
  return candidates.filter(({ id }) => last.get(id) === 'other_key')
}

const readyOf = <Channel extends Candidate>(
  channels: readonly Channel[],
  { cooldownMs }: Pick<RetryContext<Channel>, 'cooldownMs'>,
) => channels.filter((channel) => cooldownMs(channel) === 0)

/** By priority, then the preferred channel, then by weight. */
function choose<Channel extends Candidate>(
  channels: readonly Channel[],
  context: RetryContext<Channel>,
): NextAttempt<Channel> {
  const [only, second] = channels
  if (only !== undefined && second === undefined && context.cooldownMs(only) === 0) {
    return { type: 'try', channel: only, afterMs: 0 }
  }
  const tier = topTier(readyOf(channels, context))
  const channel = preferredOf(tier, context) ?? chooseWeighted(tier, context.random)
  return channel === undefined
    ? chooseSoonest(channels, context)
    : { type: 'try', channel, afterMs: 0 }
}

/** A channel of weight 0 is meant to get no request while others are left. */
function preferredOf<Channel extends Candidate>(
  tier: readonly Channel[],
  { preferred = null }: Pick<RetryContext<Channel>, 'preferred'>,
): Channel | undefined {
  if (preferred === null) return undefined
  const found = tier.find(({ id }) => id === preferred)
  return found?.weight === 0 && tier.some(({ weight }) => weight > 0) ? undefined : found
}

/**
 * If all channels are cooling, tries the earliest one rather than none. Retry-After is honored: the
 * attempt waits for it, or is not made if the wait is too long.
 */
function chooseSoonest<Channel extends Candidate>(
  channels: readonly Channel[],
  { cooldownMs, retryAfterMs, msLeft }: RetryContext<Channel>,
): NextAttempt<Channel> {
  const [channel] = channels.toSorted(
    (a, b) => retryAfterMs(a) - retryAfterMs(b) || cooldownMs(a) - cooldownMs(b),
  )
  if (channel === undefined) return GIVE_UP
  const afterMs = retryAfterMs(channel)
  return canWait(afterMs, msLeft) ? { type: 'try', channel, afterMs } : GIVE_UP
}

const canWait = (ms: number, msLeft: number) => ms <= RETRY_AFTER_MS_MAX && ms < msLeft

const pauseMs = (random: () => number) => PAUSE_MS_MIN + random() * PAUSE_MS_SPREAD

/**
 * Retries the channel that failed last: at once with another key, or once after a transient
 * failure.
 */
function retrySame<Channel extends Candidate>(
  { candidates, failures, msLeft, random }: RetryContext<Channel>,
  last: Failure<Channel>,
): NextAttempt<Channel> {
  const channel = candidates.find(({ id }) => id === last.channel.id)
  if (channel === undefined) return GIVE_UP
  if (last.class === 'other_key') return { type: 'try', channel, afterMs: 0 }
  if (last.class !== 'transient') return GIVE_UP
  const afterMs = last.retryAfterMs ?? pauseMs(random)
  const transientFailures = failures.filter(
    (failure) => failure.channel.id === channel.id && failure.class === 'transient',
  )
  return transientFailures.length === 1 && canWait(afterMs, msLeft)
    ? { type: 'try', channel, afterMs }
    : GIVE_UP
}

/**
 * Retries a channel that failed before the last one, if its only failure was transient. Part of its
 * Retry-After has passed since, so only the rest counts.
 */
function retryEarlier<Channel extends Candidate>(
  context: RetryContext<Channel>,
  last: Failure<Channel>,
): NextAttempt<Channel> {
  const { candidates, failures, cooldownMs, msLeft, random } = context
  const earlier = candidates.filter((channel) => {
    if (channel.id === last.channel.id || cooldownMs(channel) > RETRY_AFTER_MS_MAX) return false
    const [only, ...more] = failures.filter((failure) => failure.channel.id === channel.id)
    return only?.class === 'transient' && more.length === 0
  })
  const next = choose(earlier, context)
  if (next.type === 'give_up') return next
  const afterMs = Math.max(next.afterMs, pauseMs(random))
  return canWait(afterMs, msLeft) ? { ...next, afterMs } : GIVE_UP
}
