import { topTier } from './channel-choice.ts'
import { type Candidate, type Failure, nextAttempt, RETRY_AFTER_MS_MAX } from './retry-policy.ts'

type PlannedChannel = Candidate & {
  /** Remaining cooldown in milliseconds; 0 if the channel is ready. */
  readonly cooldownMs: number
  /** The part of the cooldown that the provider's Retry-After accounts for. */
  readonly retryAfterMs: number
}

export type PlannedAttempt = {
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
export function planAttempts(
  channels: readonly PlannedChannel[],
  retryTimes: number,
): ReadonlyMap<number, PlannedAttempt> {
  const order = attemptOrder(channels, retryTimes)
  const ready = readyOf(channels)
  const chances = chancesOf(ready.length > 0 ? topTier(ready) : order.slice(0, 1))
  return new Map(
    order.map(({ id }, index) => [id, { order: index + 1, chance: chances.get(id) ?? 0 }]),
  )
}

const readyOf = (channels: readonly PlannedChannel[]) =>
  channels.filter(({ cooldownMs }) => cooldownMs === 0)

/** False if the provider's Retry-After exceeds the longest wait of a request. */
export const canAwaitRetry = ({ retryAfterMs }: Pick<PlannedChannel, 'retryAfterMs'>) =>
  retryAfterMs <= RETRY_AFTER_MS_MAX

/**
 * If a tier has more channels than a request has attempts, the request tries a random part of them.
 * The plan is repeated with the remaining channels first until all are covered.
 */
function attemptOrder(
  channels: readonly PlannedChannel[],
  retryTimes: number,
): readonly PlannedChannel[] {
  const order = new Set<PlannedChannel>()
  const [ready, cooling] = [readyOf(channels), channels.filter(({ cooldownMs }) => cooldownMs > 0)]
  let left = [...ready.toSorted((a, b) => b.weight - a.weight), ...cooling]
  for (;;) {
    const countBefore = order.size
    for (const channel of attemptedChannels([...left, ...order], retryTimes)) order.add(channel)
    if (order.size === countBefore) return [...order]
    left = left.filter((channel) => !order.has(channel))
  }
}

/**
 * Channels that one request tries if all attempts fail. Random choices take the first channel with
 * weight.
 */
function attemptedChannels(
  candidates: readonly PlannedChannel[],
  retryTimes: number,
): readonly PlannedChannel[] {
  const failures: Failure<PlannedChannel>[] = []
  for (;;) {
    const next = nextAttempt({
      candidates,
      failures,
      retryTimes,
      msLeft: Infinity,
      cooldownMs: ({ cooldownMs }) => cooldownMs,
      retryAfterMs: ({ retryAfterMs }) => retryAfterMs,
      random: () => 0,
    })
    if (next.type === 'give_up') return failures.map(({ channel }) => channel)
    failures.push({ channel: next.channel, class: 'transient', retryAfterMs: null })
  }
}

function chancesOf(tier: readonly PlannedChannel[]): ReadonlyMap<number, number> {
  const total = tier.reduce((sum, { weight }) => sum + weight, 0)
  const share = ({ weight }: PlannedChannel) => (total === 0 ? 1 / tier.length : weight / total)
  return new Map(tier.map((channel) => [channel.id, share(channel)]))
}
