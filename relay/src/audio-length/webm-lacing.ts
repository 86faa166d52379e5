const XIPH = 2
const FIXED = 4
const EBML = 6

/**
 * Offsets of the frames in a block, which may hold several (RFC 9559, 10.3). `at` is the offset
 * after the block's flags.
 */
export function frameStarts(block: Buffer, at: number, flags: number): number[] {
  const lacing = flags & EBML
  if (lacing === 0) return [at]
  const count = (block[at] ?? 0) + 1
  const begin = at + 1
  if (lacing === FIXED) {
    const size = Math.floor((block.length - begin) / count)
    if (size === 0) return []
    return Array.from({ length: count }, (_, index) => begin + index * size)
  }
  const sized = lacing === XIPH ? xiphSizes : ebmlSizes
  const { sizes, end } = sized(block, begin, count - 1)
  let next = end
  return [end, ...sizes.map((size) => (next += size))]
}

type Sizes = { readonly sizes: number[]; readonly end: number }

function xiphSizes(block: Buffer, from: number, count: number): Sizes {
  const sizes: number[] = []
  let at = from
  while (sizes.length < count && at < block.length) {
    let size = 0
    let byte: number
    do {
      byte = block[at] ?? 0
      size += byte
      at += 1
    } while (byte === 255)
    sizes.push(size)
  }
  return { sizes, end: at }
}

/** The first size is absolute, later sizes are differences from the previous size. */
function ebmlSizes(block: Buffer, from: number, count: number): Sizes {
  const sizes: number[] = []
  let at = from
  while (sizes.length < count) {
    const number = readNumber(block, at, 8, false)
    if (number === null) break
    const before = sizes.at(-1)
    const bias = 2 ** (7 * (number.end - at) - 1) - 1
    sizes.push(before === undefined ? number.value : before + number.value - bias)
    at = number.end
  }
  return { sizes, end: at }
}

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
