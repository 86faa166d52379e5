import { topTier } from './channel-choice.ts'
import { RETRY_AFTER_MS_MAX } from './retry-policy.ts'

type Planned = {
  readonly id: number
  readonly priority: number
  readonly weight: number
  /** How long it is still cooling; 0 when it is not. */
  readonly readyInMs: number
  /** What of that its provider asked for. */
  readonly leftAloneMs: number
}

export type Turn = {
  /** From 1 on. */
  readonly order: number
  /** Of being asked first. */
  readonly chance: number
}

/**
 * In what order channels are asked if each of them fails, and how likely each is the first. The same rules
 * as those of the tries, without their dice: of one tier the likelier comes first.
 */
export function planTurns(channels: readonly Planned[]): ReadonlyMap<number, Turn> {
  const ready = channels.filter(({ readyInMs }) => readyInMs === 0)
  const cooling = channels.filter(({ readyInMs }) => readyInMs > 0)
  const inTurn = ready.toSorted((a, b) => b.priority - a.priority || b.weight - a.weight)
  const soonest = cooling.toSorted(
    (a, b) => a.leftAloneMs - b.leftAloneMs || a.readyInMs - b.readyInMs,
  )
  const waitedFor = soonest.filter(({ leftAloneMs }) => leftAloneMs <= RETRY_AFTER_MS_MAX)
  const chances = chancesOf(ready.length > 0 ? topTier(ready) : waitedFor.slice(0, 1))
  return new Map(
    [...inTurn, ...soonest].map(({ id }, index) => [
      id,
      { order: index + 1, chance: chances.get(id) ?? 0 },
    ]),
  )
}

function chancesOf(tier: readonly Planned[]): ReadonlyMap<number, number> {
  const total = tier.reduce((sum, { weight }) => sum + weight, 0)
  const share = ({ weight }: Planned) => (total === 0 ? 1 / tier.length : weight / total)
  return new Map(tier.map((channel) => [channel.id, share(channel)]))
}
