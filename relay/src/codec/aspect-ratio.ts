const SIZE = /^(\d{1,5})x(\d{1,5})$/

/**
 * Of aspect ratios as `16:9` the one that is nearest to a size as `1792x1024`, for providers that are told a ratio
 * in place of a size; undefined for what is no size, as `auto`.
 */
export function nearestAspectRatio(size: string, ratios: readonly string[]): string | undefined {
  const [, width, height] = SIZE.exec(size) ?? []
  const wanted = Math.log(Number(width) / Number(height))
  if (!Number.isFinite(wanted)) return undefined
  const distance = (ratio: string) => Math.abs(logOf(ratio) - wanted)
  return ratios.toSorted((one, other) => distance(one) - distance(other))[0]
}

/** As far from 1 for a ratio as for its inverse. */
function logOf(ratio: string): number {
  const [width, height] = ratio.split(':')
  return Math.log(Number(width) / Number(height))
}
