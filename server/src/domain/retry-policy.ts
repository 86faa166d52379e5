import { chooseWeighted, topTier } from './channel-choice.ts'

export type Candidate = {
  readonly id: number
  readonly priority: number
  readonly weight: number
  /** What the channel calls the model that was asked for. */
  readonly upstreamModel: string
}

/**
 * What a failure before the first byte means for the next try. `passing`: the channel may well serve in a
 * moment; `lasting`: it will not; `too_long`: only another model can take it; `final`: nobody will.
 */
export type FailureClass = 'passing' | 'lasting' | 'too_long' | 'final'

export type Failure<Channel extends Candidate> = {
  readonly channel: Channel
  readonly class: FailureClass
  /** How long the upstream asked to be left alone; null when it did not say. */
  readonly retryAfterMs: number | null
}

export type NextTry<Channel extends Candidate> =
  | { type: 'try'; channel: Channel; afterMs: number }
  | { type: 'give_up' }

/** What asks for more is cooling, and not waited for. */
const RETRY_AFTER_MS_MAX = 5000
const PAUSE_MS_LEAST = 100
const PAUSE_MS_SPREAD = 300

const GIVE_UP = { type: 'give_up' } as const

/** Which channel is asked next, and when, after these failures in their order. */
export function nextTry<Channel extends Candidate>({
  candidates,
  failures,
  retryTimes,
  msLeft,
  random,
}: {
  candidates: readonly Channel[]
  failures: readonly Failure<Channel>[]
  retryTimes: number
  /** Until the deadline of all tries together. */
  msLeft: number
  random: () => number
}): NextTry<Channel> {
  const choose = (channels: readonly Channel[]): NextTry<Channel> => {
    const channel = chooseWeighted(topTier(channels), random)
    return channel === undefined ? GIVE_UP : { type: 'try', channel, afterMs: 0 }
  }
  const last = failures.at(-1)
  if (last === undefined) return choose(candidates)
  if (last.class === 'final' || failures.length > retryTimes || msLeft <= 0) return GIVE_UP

  const tried = new Set(failures.map(({ channel }) => channel.id))
  const untried = candidates.filter(({ id }) => !tried.has(id))
  const tooLong = failures.find((failure) => failure.class === 'too_long')
  if (tooLong !== undefined) {
    if (tooLong !== last) return GIVE_UP
    return choose(
      untried.filter(({ upstreamModel }) => upstreamModel !== last.channel.upstreamModel),
    )
  }

  const tier = untried.filter(({ priority }) => priority === last.channel.priority)
  if (tier.length > 0) return choose(tier)
  const afterMs = last.retryAfterMs ?? PAUSE_MS_LEAST + random() * PAUSE_MS_SPREAD
  const repeated = failures.filter(({ channel }) => channel.id === last.channel.id).length > 1
  const waits = afterMs <= RETRY_AFTER_MS_MAX && afterMs < msLeft
  if (last.class === 'passing' && !repeated && waits) {
    return { type: 'try', channel: last.channel, afterMs }
  }
  return choose(untried.filter(({ priority }) => priority < last.channel.priority))
}
