export type Point = { x: number; y: number }

/** A tenth of a pixel is finer than any screen shows. */
const rounded = (value: number) => String(Math.round(value * 10) / 10)

const pointText = ({ x, y }: Point) => `${rounded(x)} ${rounded(y)}`

export function linePath(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => {
      if (!point) return ''
      return `${points[index - 1] ? 'L' : 'M'}${pointText(point)}`
    })
    .join('')
}

/** Zero-length segments for points without neighbours; round line caps show them as dots. */
export function dotsPath(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => {
      const isAlone = point && !points[index - 1] && !points[index + 1]
      return isAlone ? `M${pointText(point)}h0` : ''
    })
    .join('')
}
