import { topTier } from './channel-choice.ts'
import { type Candidate, type Failure, nextAttempt, RETRY_AFTER_MS_MAX } from './retry-policy.ts'

type Planned = Candidate & {
  /** How long it is still cooling; 0 when it is not. */
  readonly readyInMs: number
  /** What of that its provider asked for. */
  readonly leftAloneMs: number
}

export type PlannedTry = {
  /** From 1 on. */
  readonly order: number
  /** Of being asked first. */
  readonly chance: number
}

/**
 * In what order channels are asked if each of them fails with what passes, and how likely each is the first; those that are not
 * asked then, however the dice fall, are not in it. Of one tier the likelier comes first.
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

/** Not where its provider has asked for a longer pause than a request makes. */
export const isWaitedFor = ({ leftAloneMs }: Pick<Planned, 'leftAloneMs'>) =>
  leftAloneMs <= RETRY_AFTER_MS_MAX

/** One request asks some of a tier that has more channels than it has tries; which these are, the dice decide. */
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

/** Whom the tries of one request ask if all fail; of those that it may choose from always the first that has weight. */
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
