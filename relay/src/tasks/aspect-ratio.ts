const SIZE = /^(\d{1,5})x(\d{1,5})$/

/**
 * The ratio (such as `16:9`) nearest to a size (such as `1792x1024`), for providers that take a
 * ratio. Undefined if `size` is not a pixel size, such as `auto`.
 */
export function nearestAspectRatio(size: string, ratios: readonly string[]): string | undefined {
  const [, width, height] = SIZE.exec(size) ?? []
  const target = Math.log(Number(width) / Number(height))
  if (!Number.isFinite(target)) return undefined
  const distance = (ratio: string) => Math.abs(logOf(ratio) - target)
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** A logarithm puts a ratio and its inverse at the same distance from 1. */
function logOf(ratio: string): number {
  const [width, height] = ratio.split(':')
  return Math.log(Number(width) / Number(height))
}
