/** Hours since the epoch, UTC; `end` excluded. */
export type HourSpan = { readonly start: number; readonly end: number }

/** An interval of the bill. */
export type Bucket = HourSpan

const HOURS_PER_DAY = 24

/** The intervals of a bill without overlaps: hourly lines inside a daily line belong to the day. */
export function createBuckets(sums: readonly { start: number; hours: number }[]) {
  const spans = sums.map(({ start, hours }) => ({ start, end: start + hours }))
  const merged = mergeOverlapping(spans)
  // Use of an interval without any line is grouped as the bill's other intervals are.
  const longest = Math.max(1, ...merged.slice(0, LENGTHS_READ).map(({ start, end }) => end - start))
  const length = merged.length === 0 || longest >= HOURS_PER_DAY ? HOURS_PER_DAY : 1
  const phase = length === 1 ? 0 : (merged[0]?.start ?? 0) % HOURS_PER_DAY
  const ofHour = (hour: number): Bucket => {
    const found = merged[lastStartingBy(merged, hour)]
    if (found !== undefined && hour < found.end) return found
    const start = hour - ((hour - phase) % length)
    return { start, end: start + length }
  }
  return { ofHour, ofBilled: ({ start }: { start: number }) => ofHour(start) }
}

/** Enough to find out whether a bill has days. */
const LENGTHS_READ = 10_000

export function mergeOverlapping(spans: readonly HourSpan[]): HourSpan[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Index of the last span that starts at or before the hour; -1 if none does. */
function lastStartingBy(spans: readonly HourSpan[], hour: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.start ?? Infinity) <= hour) low = middle + 1
    else high = middle
  }
  return low - 1
}

export const isCovered = (spans: readonly HourSpan[], hour: number) =>
  spans.some(({ start, end }) => start <= hour && hour < end)
