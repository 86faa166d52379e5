export type Weighted = { readonly priority: number; readonly weight: number }

/** The channels of the highest priority. */
export function topTier<Channel extends Weighted>(channels: readonly Channel[]): Channel[] {
  const top = channels.reduce((most, { priority }) => Math.max(most, priority), -Infinity)
  return channels.filter(({ priority }) => priority === top)
}

/**
 * One of the channels, as often as its share of the weight; one of weight 0 only where nothing else is
 * left, and then each as often as the others. `random` gives numbers from 0 up to but not including 1.
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
