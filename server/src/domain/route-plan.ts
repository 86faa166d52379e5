import { topTier } from './channel-choice.ts'
import { type Candidate, type Failure, nextAttempt, RETRY_AFTER_MS_MAX } from './retry-policy.ts'

type Planned = Candidate & {
  /** Remaining cooldown in milliseconds; 0 if the channel is ready. */
  readonly readyInMs: number
  /** The part of the cooldown that the provider's Retry-After accounts for. */
  readonly leftAloneMs: number
}

export type PlannedTry = {
  /** Counted from 1. */
  readonly order: number
  /** Probability of being tried first. */
  readonly chance: number
}

/**
 * The order in which channels are tried if each fails with a transient failure, and the probability
 * that each is tried first. Channels that are never tried are left out. Within a tier, the likelier
 * channel comes first.
 */
export function planTries(
  channels: readonly Planned[],
  retryTimes: number,
): ReadonlyMap<number, PlannedTry> {
  const order = orderOf(channels, retryTimes)
  const ready = readyOf(channels)
  const chances = chancesOf(ready.length > 0 ? topTier(ready) : order.slice(0, 1))
  return new Map(
    order.map(({ id }, index) => [id, { order: index + 1, chance: chances.get(id) ?? 0 }]),
  )
}

const readyOf = (channels: readonly Planned[]) =>
  channels.filter(({ readyInMs }) => readyInMs === 0)

/** False if the provider's Retry-After exceeds the longest wait of a request. */
export const isWaitedFor = ({ leftAloneMs }: Pick<Planned, 'leftAloneMs'>) =>
  leftAloneMs <= RETRY_AFTER_MS_MAX

/**
 * If a tier has more channels than a request has attempts, the request tries a random part of them.
 * The plan is repeated with the remaining channels first until all are covered.
 */
function orderOf(channels: readonly Planned[], retryTimes: number): readonly Planned[] {
  const order = new Set<Planned>()
  const [ready, cooling] = [readyOf(channels), channels.filter(({ readyInMs }) => readyInMs > 0)]
  let left = [...ready.toSorted((a, b) => b.weight - a.weight), ...cooling]
  for (;;) {
    const countBefore = order.size
    for (const channel of askedOf([...left, ...order], retryTimes)) order.add(channel)
    if (order.size === countBefore) return [...order]
    left = left.filter((channel) => !order.has(channel))
  }
}

/**
 * Channels that one request tries if all attempts fail. Random choices take the first channel with
 * weight.
 */
function askedOf(candidates: readonly Planned[], retryTimes: number): readonly Planned[] {
  const failures: Failure<Planned>[] = []
  for (;;) {
    const next = nextAttempt({
      candidates,
      failures,
      retryTimes,
      msLeft: Infinity,
      readyInMs: ({ readyInMs }) => readyInMs,
      leftAloneMs: ({ leftAloneMs }) => leftAloneMs,
      random: () => 0,
    })
    if (next.type === 'give_up') return failures.map(({ channel }) => channel)
    failures.push({ channel: next.channel, class: 'passing', retryAfterMs: null })
  }
}

function chancesOf(tier: readonly Planned[]): ReadonlyMap<number, number> {
  const total = tier.reduce((sum, { weight }) => sum + weight, 0)
  const share = ({ weight }: Planned) => (total === 0 ? 1 / tier.length : weight / total)
  return new Map(tier.map((channel) => [channel.id, share(channel)]))
}
