export type Series = {
  /** Unique id; `OTHER` is the sum of all series not shown separately. */
  id: string
  name: string
  /** One value per slot; null where nothing was measured. */
  values: readonly (number | null)[]
  /** A click on it leads nowhere. */
  isInert?: boolean
}

export type Slot = {
  /** Epoch seconds. */
  start: number
  tick: string
  /** Slots labelled first when there is no room for all labels. */
  isMajor?: boolean
  name: string
}

export const SERIES_MAX = 6
export const OTHER = 'other'

/**
 * Keeps the first six series, since more are hard to tell apart, and sums the remaining series and
 * `rest` as `OTHER`. `rest` is already aggregated.
 */
export function withOther(
  series: readonly Series[],
  rest: readonly Series[],
  otherName: string,
): Series[] {
  const summed = [...series.slice(SERIES_MAX), ...rest]
  if (summed.length === 0) return [...series]
  const length = Math.max(...summed.map(({ values }) => values.length))
  const values = Array.from({ length }, (_, slot) => totalAt(summed, slot))
  return [...series.slice(0, SERIES_MAX), { id: OTHER, name: otherName, values }]
}

/** Look of a series: its index, or the last look for `OTHER`. */
export const lookOf = ({ id }: Series, index: number) => (id === OTHER ? SERIES_MAX : index)

export const isAllZero = (series: readonly Series[]) =>
  series.every(({ values }) => values.every((value) => value === null || value === 0))

export const totalAt = (series: readonly Series[], slot: number) =>
  series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0)
