export type Series = {
  /** Tells it from the others; `OTHER` is what stands for all that are not shown alone. */
  id: string
  name: string
  /** One per slot; null where nothing was measured. */
  values: readonly (number | null)[]
}

/** One place on the time axis. */
export type Slot = {
  /** Epoch seconds. */
  start: number
  /** Below the axis, where room is short. */
  tick: string
  /** A time that is named before its neighbours, where not all can be. */
  isMajor?: boolean
  /** Where there is room: above the values, and in the table. */
  name: string
}

export const SERIES_MAX = 6
export const OTHER = 'other'

/**
 * Not more series than an eye tells apart: the first six, and the sum of all others and of `rest`,
 * which is summed already.
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

/** Which of the looks a series has: its place, or the last one for all others. */
export const lookOf = ({ id }: Series, index: number) => (id === OTHER ? SERIES_MAX : index)

export const isNothing = (series: readonly Series[]) =>
  series.every(({ values }) => values.every((value) => value === null || value === 0))

export const totalAt = (series: readonly Series[], slot: number) =>
  series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0)
