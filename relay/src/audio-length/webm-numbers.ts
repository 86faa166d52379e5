/**
 * A variable-length number: the count of leading zero bits is the count of further bytes. Ids keep
 * the marker bit after the zeros.
 */
export function readNumber(bytes: Buffer, at: number, bytesMax: number, isId: boolean) {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (length > bytesMax || at + length > bytes.length) return null
  let value = isId ? first : first & (0xff >> length)
  const end = at + length
  for (let next = at + 1; next < end; next += 1) value = value * 256 + (bytes[next] ?? 0)
  return { value, end }
}

export const wholeNumber = (content: Buffer): number =>
  content.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0)

export function floating(content: Buffer): number {
  if (content.length === 4) return content.readFloatBE()
  return content.length === 8 ? content.readDoubleBE() : 0
}
