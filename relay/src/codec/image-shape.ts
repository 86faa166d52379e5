const SIZE = /^(\d{1,5})x(\d{1,5})$/

/**
 * Of shapes as `16:9` the one that is most like a size as `1792x1024`, for providers that are told a shape in
 * place of a size; undefined for what is no size, as `auto`.
 */
export function shapeOf(size: string, shapes: readonly string[]): string | undefined {
  const [, width, height] = SIZE.exec(size) ?? []
  const ratio = Math.log(Number(width) / Number(height))
  if (!Number.isFinite(ratio)) return undefined
  const distance = (shape: string) => Math.abs(ratioOf(shape) - ratio)
  return shapes.toSorted((one, other) => distance(one) - distance(other))[0]
}

function ratioOf(shape: string): number {
  const [width, height] = shape.split(':')
  return Math.log(Number(width) / Number(height))
}
