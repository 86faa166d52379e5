import { chooseWeighted, topTier } from './channel-choice.ts'

export type Candidate = {
  readonly id: number
  readonly priority: number
  readonly weight: number
  /** What the channel calls the model that was asked for. */
  readonly upstreamModel: string
}

/**
 * What a failure before the first token means for the next try. `passing`: the channel may well serve in a
 * moment; `other_key`: with another of its keys, at once; `lasting`: it will not; `too_long`: only another
 * model can take it; `final`: nobody will.
 */
export type FailureClass = 'passing' | 'other_key' | 'lasting' | 'too_long' | 'final'

export type Failure<Channel extends Candidate> = {
  readonly channel: Channel
  readonly class: FailureClass
  /** How long the upstream asked to be left alone; null when it did not say. */
  readonly retryAfterMs: number | null
}

export type NextAttempt<Channel extends Candidate> =
  | { type: 'try'; channel: Channel; afterMs: number }
  | { type: 'give_up' }

/** What is known when the next channel is chosen. */
export type Situation<Channel extends Candidate> = {
  /** Those that may be asked now; of what has failed some may be gone. */
  readonly candidates: readonly Channel[]
  /** In their order. */
  readonly failures: readonly Failure<Channel>[]
  readonly retryTimes: number
  /** Until the deadline of all tries together. */
  readonly msLeft: number
  /** How long a channel is still cooling; 0 when it is not. */
  readonly readyInMs: (channel: Channel) => number
  /** What of that its provider asked for. */
  readonly leftAloneMs: (channel: Channel) => number
  readonly random: () => number
}

/** What asks for more is cooling, and not waited for. */
export const RETRY_AFTER_MS_MAX = 5000
const PAUSE_MS_LEAST = 100
const PAUSE_MS_SPREAD = 300

const GIVE_UP = { type: 'give_up' } as const

/** Which channel is asked next, and when. */
export function nextAttempt<Channel extends Candidate>(
  situation: Situation<Channel>,
): NextAttempt<Channel> {
  const { candidates, failures, retryTimes } = situation
  const last = failures.at(-1)
  if (last === undefined) return choose(candidates, situation)
  if (isOver(situation)) return GIVE_UP

  const untried = untriedOf(situation)
  const tooLong = failures.find((failure) => failure.class === 'too_long')
  if (tooLong !== undefined) {
    if (tooLong !== last) return GIVE_UP
    const { upstreamModel } = last.channel
    return choose(
      untried.filter((channel) => channel.upstreamModel !== upstreamModel),
      situation,
    )
  }

  const readyBeside = (channels: readonly Channel[]) =>
    readyOf(channels, situation).filter(({ priority }) => priority === last.channel.priority)
  // Whoever was not asked yet is likelier to answer than one that has failed.
  const isLastTry = failures.length === retryTimes
  const ready = isLastTry ? readyOf(untried, situation) : readyBeside(untried)
  if (ready.length > 0) return choose(ready, situation)
  const readyKeys = readyBeside(withOtherKeys(situation))
  if (readyKeys.length > 0) return choose(readyKeys, situation)
  const again = onceMore(situation, last)
  if (again.type === 'try') return again
  const other = choose([...untried, ...withOtherKeys(situation)], situation)
  return other.type === 'try' ? other : earlierOnceMore(situation, last)
}

/** The same for an answer that broke off: first everywhere else, last where it broke. */
export function nextFailover<Channel extends Candidate>(
  situation: Situation<Channel>,
): NextAttempt<Channel> {
  const last = situation.failures.at(-1)
  if (last === undefined || isOver(situation)) return GIVE_UP
  const elsewhere = choose(untriedOf(situation), situation)
  if (elsewhere.type === 'try') return elsewhere
  const again = onceMore(situation, last)
  if (again.type === 'try') return again
  const other = choose(withOtherKeys(situation), situation)
  return other.type === 'try' ? other : earlierOnceMore(situation, last)
}

/** Who is asked beside channels that are late: one that is neither tried nor cooling. */
export function nextHedge<Channel extends Candidate>(
  situation: Situation<Channel>,
  running: readonly Channel[],
): Channel | undefined {
  const ready = readyOf(besideOf(situation, running), situation)
  return chooseWeighted(topTier(ready), situation.random)
}

/** How long until one may be asked beside them; Infinity where that will not be. */
export function nextHedgeInMs<Channel extends Candidate>(
  situation: Situation<Channel>,
  running: readonly Channel[],
): number {
  const ms = Math.min(...besideOf(situation, running).map(situation.readyInMs))
  return ms < situation.msLeft ? ms : Infinity
}

/** Who may be asked beside them, cooling or not. */
function besideOf<Channel extends Candidate>(
  situation: Situation<Channel>,
  running: readonly Channel[],
): readonly Channel[] {
  const { failures, retryTimes, msLeft } = situation
  if (failures.length + running.length > retryTimes || msLeft <= 0) return []
  if (failures.some(({ class: kind }) => kind === 'too_long' || kind === 'final')) return []
  const ids = new Set(running.map(({ id }) => id))
  return untriedOf(situation).filter(({ id }) => !ids.has(id))
}

/** A final refusal may have been followed by another failure: of a channel that was asked beside it. */
function isOver<Channel extends Candidate>({
  failures,
  retryTimes,
  msLeft,
}: Situation<Channel>): boolean {
  const isRefused = failures.some((failure) => failure.class === 'final')
  return isRefused || failures.length > retryTimes || msLeft <= 0
}

function untriedOf<Channel extends Candidate>({ candidates, failures }: Situation<Channel>) {
  const tried = new Set(failures.map(({ channel }) => channel.id))
  return candidates.filter(({ id }) => !tried.has(id))
}

/** Channels that were tried with one of their keys only, whatever was tried since. */
function withOtherKeys<Channel extends Candidate>({ candidates, failures }: Situation<Channel>) {
  const last = new Map(failures.map((failure) => [failure.channel.id, failure.class]))
  return candidates.filter(({ id }) => last.get(id) === 'other_key')
}

const readyOf = <Channel extends Candidate>(
  channels: readonly Channel[],
  { readyInMs }: Pick<Situation<Channel>, 'readyInMs'>,
) => channels.filter((channel) => readyInMs(channel) === 0)

/** By priority and weight. */
function choose<Channel extends Candidate>(
  channels: readonly Channel[],
  situation: Situation<Channel>,
): NextAttempt<Channel> {
  const channel = chooseWeighted(topTier(readyOf(channels, situation)), situation.random)
  return channel === undefined ? soonest(channels, situation) : { type: 'try', channel, afterMs: 0 }
}

/**
 * Where all are cooling the soonest is asked rather than nobody. What a provider asked for is honoured: it
 * is waited for, or where that is too long nobody is asked.
 */
function soonest<Channel extends Candidate>(
  channels: readonly Channel[],
  { readyInMs, leftAloneMs, msLeft }: Situation<Channel>,
): NextAttempt<Channel> {
  const [channel] = channels.toSorted(
    (a, b) => leftAloneMs(a) - leftAloneMs(b) || readyInMs(a) - readyInMs(b),
  )
  if (channel === undefined) return GIVE_UP
  const afterMs = leftAloneMs(channel)
  return canWait(afterMs, msLeft) ? { type: 'try', channel, afterMs } : GIVE_UP
}

const canWait = (ms: number, msLeft: number) => ms <= RETRY_AFTER_MS_MAX && ms < msLeft

const pauseMs = (random: () => number) => PAUSE_MS_LEAST + random() * PAUSE_MS_SPREAD

/** The channel that failed last, if it is there still, its failure passes and it had not failed so before. */
function onceMore<Channel extends Candidate>(
  { candidates, failures, msLeft, random }: Situation<Channel>,
  last: Failure<Channel>,
): NextAttempt<Channel> {
  const channel = candidates.find(({ id }) => id === last.channel.id)
  if (channel === undefined) return GIVE_UP
  if (last.class === 'other_key') return { type: 'try', channel, afterMs: 0 }
  if (last.class !== 'passing') return GIVE_UP
  const afterMs = last.retryAfterMs ?? pauseMs(random)
  const times = failures.filter((one) => one.channel.id === channel.id && one.class === 'passing')
  return times.length === 1 && canWait(afterMs, msLeft)
    ? { type: 'try', channel, afterMs }
    : GIVE_UP
}

/**
 * One that failed before the last, only once and with what passes. Of its Retry-After some has gone by since, so
 * what is left of it counts.
 */
function earlierOnceMore<Channel extends Candidate>(
  situation: Situation<Channel>,
  last: Failure<Channel>,
): NextAttempt<Channel> {
  const { candidates, failures, readyInMs, msLeft, random } = situation
  const earlier = candidates.filter((channel) => {
    if (channel.id === last.channel.id || readyInMs(channel) > RETRY_AFTER_MS_MAX) return false
    const [only, ...more] = failures.filter((failure) => failure.channel.id === channel.id)
    return only?.class === 'passing' && more.length === 0
  })
  const next = choose(earlier, situation)
  if (next.type === 'give_up') return next
  const afterMs = Math.max(next.afterMs, pauseMs(random))
  return canWait(afterMs, msLeft) ? { ...next, afterMs } : GIVE_UP
}
