/**
 * Moves labels apart so that none overlap and none leave the chart at the top. `wanted` holds
 * positions in pixels from the top, ordered bottom up; results are at least `distance` apart.
 */
export function spread(wanted: readonly number[], distance: number): number[] {
  const placed: number[] = []
  for (const y of wanted) {
    const below = placed.at(-1)
    placed.push(below === undefined ? y : Math.min(y, below - distance))
  }
  let ceiling = 0
  return placed
    .toReversed()
    .map((y) => {
      const moved = Math.max(y, ceiling)
      ceiling = moved + distance
      return moved
    })
    .toReversed()
}
