export type Weighted = { readonly priority: number; readonly weight: number }

export function topTier<Channel extends Weighted>(channels: readonly Channel[]): Channel[] {
  const top = channels.reduce((highest, { priority }) => Math.max(highest, priority), -Infinity)
  return channels.filter(({ priority }) => priority === top)
}

/**
 * Chooses a channel with a probability proportional to its weight. Channels of weight 0 are chosen
 * only if all weights are 0, and then with equal probability. `random` returns numbers in [0, 1).
 */
export function chooseWeighted<Channel extends Weighted>(
  channels: readonly Channel[],
  random: () => number,
): Channel | undefined {
  const weighted = channels.filter(({ weight }) => weight > 0)
  if (weighted.length === 0) return channels[Math.floor(random() * channels.length)]
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  let left = random() * total
  const chosen = weighted.find(({ weight }) => (left -= weight) < 0)
  return chosen ?? weighted.at(-1)
}
