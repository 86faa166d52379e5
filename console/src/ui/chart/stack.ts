import type { Series } from './series.ts'

export type Segment = {
  series: number
  top: number
  height: number
}

/**
 * Segments of one bar from the bottom up, in pixels. Series without a positive value are left out.
 */
export function stackAt(
  series: readonly Series[],
  slot: number,
  y: (value: number) => number,
): Segment[] {
  const segments: Segment[] = []
  let sum = 0
  for (const [index, { values }] of series.entries()) {
    const value = values[slot] ?? 0
    if (value <= 0) continue
    const bottom = y(sum)
    sum += value
    segments.push({ series: index, top: y(sum), height: bottom - y(sum) })
  }
  return segments
}
