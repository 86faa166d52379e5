export type Point = { x: number; y: number }

/** One tenth of a pixel is finer than any screen shows. */
const rounded = (value: number) => String(Math.round(value * 10) / 10)

const pointText = ({ x, y }: Point) => `${rounded(x)} ${rounded(y)}`

/** The path of a line; where there is no point it breaks. */
export function linePath(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => {
      if (!point) return ''
      return `${points[index - 1] ? 'L' : 'M'}${pointText(point)}`
    })
    .join('')
}

/** Lines without length, which show as dots where their ends are round: points without neighbours. */
export function dotsPath(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => {
      const isAlone = point && !points[index - 1] && !points[index + 1]
      return isAlone ? `M${pointText(point)}h0` : ''
    })
    .join('')
}
