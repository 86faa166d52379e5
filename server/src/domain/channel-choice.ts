export type Weighted = {
  readonly priority: number
  readonly weight: number
  /** Lower ranks come first within a priority; absent if cost does not matter. */
  readonly costRank?: number
}

/** The channels of the highest priority, and of these the cheapest. */
export function topTier<Channel extends Weighted>(
  channels: readonly Channel[],
): readonly Channel[] {
  if (channels.length === 1) return channels
  const top = channels.reduce((highest, { priority }) => Math.max(highest, priority), -Infinity)
  const tier = channels.filter(({ priority }) => priority === top)
  if (tier[0]?.costRank === undefined) return tier
  const lowest = tier.reduce((least, { costRank = 0 }) => Math.min(least, costRank), Infinity)
  return tier.filter(({ costRank = 0 }) => costRank === lowest)
}

/**
 * Chooses a channel with a probability proportional to its weight. Channels of weight 0 are chosen
 * only if all weights are 0, and then with equal probability. `random` returns numbers in [0, 1).
 */
export function chooseWeighted<Channel extends Weighted>(
  channels: readonly Channel[],
  random: () => number,
): Channel | undefined {
  let total = 0
  for (const { weight } of channels) total += Math.max(weight, 0)
  if (total === 0) return channels[Math.floor(random() * channels.length)]
  let left = random() * total
  const chosen = channels.find(({ weight }) => (left -= Math.max(weight, 0)) < 0)
  return chosen ?? channels.findLast(({ weight }) => weight > 0)
}
