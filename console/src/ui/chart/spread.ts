/**
 * Moves labels apart so that none covers another and none leaves the picture at its top: wanted
 * heights, in pixels from the top and in order from the bottom up, at least `distance` apart.
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
