type Histogram = {
  /**
   * Number of values at or below each bound and above the previous bound. The last count is of
   * values above all bounds.
   */
  counts: readonly number[]
  bounds: readonly number[]
}

/**
 * The value below which `share` of the values lie, interpolated linearly between the bounds. Values
 * above the last bound count as that bound. Null without values.
 */
export function estimatePercentile({ counts, bounds }: Histogram, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const target = share * total
  let below = 0
  for (const [index, upper] of bounds.entries()) {
    const count = counts[index] ?? 0
    if (count > 0 && below + count >= target) {
      const lower = bounds[index - 1] ?? 0
      return Math.round(lower + ((target - below) / count) * (upper - lower))
    }
    below += count
  }
  return bounds.at(-1) ?? null
}
