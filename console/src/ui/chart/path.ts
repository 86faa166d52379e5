export type Point = { x: number; y: number }

/** One tenth of a pixel is finer than any screen shows. */
const rounded = (value: number) => String(Math.round(value * 10) / 10)

export const pointText = ({ x, y }: Point) => `${rounded(x)} ${rounded(y)}`

/** The path of a line; where there is no point it breaks, and a point alone becomes a dot. */
export function linePath(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => {
      if (!point) return ''
      const isFirst = !points[index - 1]
      if (!isFirst) return `L${pointText(point)}`
      // A line without length shows as a dot where its ends are round.
      return points[index + 1] ? `M${pointText(point)}` : `M${pointText(point)}h0`
    })
    .join('')
}
