const INTERVALS_MAX = 4
const STEPS = [1, 2, 5, 10] as const
/** Tolerance for floating-point errors. */
const NOISE = 1e-9

type TickOptions = {
  /**
   * Ticks are round numbers of this unit: quota per dollar for money, 1000 to show milliseconds as
   * seconds.
   */
  unit?: number
  /** Forces whole-number ticks. */
  isWhole?: boolean
  /** The least value, if negative. */
  min?: number
}

/** Round values from zero, or at most `min`, to at least `max`; at most six ticks. */
export function niceTicks(
  max: number,
  { unit = 1, isWhole = false, min = 0 }: TickOptions = {},
): number[] {
  if (!(max - min > 0)) return [0]
  const rough = (max - min) / unit / INTERVALS_MAX
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = STEPS.find((candidate) => candidate * power >= rough * (1 - NOISE)) ?? 10
  const step = isWhole ? Math.max(1, factor * power) : factor * power
  const steps = (value: number) => Math.ceil((value / unit / step) * (1 - NOISE))
  const [below, above] = [steps(-min), steps(max)]
  return Array.from({ length: below + above + 1 }, (_, index) =>
    exact((index - below) * step * unit),
  )
}

/** Removes floating-point noise: 0.3 instead of 0.30000000000000004. */
const exact = (value: number) => Number(value.toPrecision(12))

export function decimalsOf(step: number): number {
  return step > 0 ? Math.max(0, -Math.floor(Math.log10(step) + NOISE)) : 0
}

/** Position in whole pixels from the top. Any value but zero is at least 1 px from zero. */
export function verticalScale([min, max]: readonly [number, number], height: number) {
  if (max === min) return () => height
  const zero = Math.round((max / (max - min)) * height)
  return (value: number) => {
    const y = Math.round(((max - value) / (max - min)) * height)
    if (value > 0) return Math.min(zero - 1, y)
    return value < 0 ? Math.min(height, Math.max(zero + 1, y)) : zero
  }
}

const GAP_SHARE = 0.2
/** In pixels. Two bars that fill a wide plot would be no bars. */
const BAR_MAX = 120

export type Band = { x: number; width: number; middle: number }

export function bandsOf(count: number, width: number): Band[] {
  const edge = (index: number) => Math.round((index * width) / count)
  return Array.from({ length: count }, (_, index) => {
    const room = edge(index + 1) - edge(index)
    const gap = Math.min(room - 1, Math.max(1, Math.round(room * GAP_SHARE)))
    const width = room - Math.max(0, gap)
    const spare = Math.max(0, width - BAR_MAX)
    return {
      x: edge(index) + Math.floor(spare / 2),
      width: width - spare,
      middle: edge(index) + (room - gap) / 2,
    }
  })
}

const TICK_EVERY = [1, 2, 3, 6, 12, 24, 48, 96] as const

/** Smallest interval of slots at which labels of this width do not overlap. */
export function tickEvery(count: number, width: number, textWidth: number): number {
  return TICK_EVERY.find((every) => (every * width) / count >= textWidth) ?? count
}

const AXIS_WIDTH_MIN = 60
const CHARACTER_WIDTH = 8
const AXIS_GAP = 12

/** Pixels for the labels of the values, which small amounts make longer. */
export function axisWidth(labels: readonly string[]): number {
  const longest = Math.max(0, ...labels.map(({ length }) => length))
  return Math.max(AXIS_WIDTH_MIN, longest * CHARACTER_WIDTH + AXIS_GAP)
}
