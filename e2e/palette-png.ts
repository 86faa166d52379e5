import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
const CHUNK_FRAME_BYTES = 12
const COLORS_MAX = 256
const RGB_BYTES = 3
const TRUE_COLOR = 2
const INDEXED = 3

type Picture = { width: number; height: number; /** Three bytes per pixel. */ pixels: Buffer }

/** Reduces an image to at most 256 colours, a third of the size. */
export function toPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png)
  const palette = commonColors(pixels)
  const indexOf = new Map(palette.map((color, index) => [color, index]))
  const nearest = (color: number) => {
    const known = indexOf.get(color)
    if (known !== undefined) return known
    const distances = palette.map((other) => distance(color, other))
    const index = distances.indexOf(Math.min(...distances))
    indexOf.set(color, index)
    return index
  }
  const lines = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const color = pixels.readUIntBE((y * width + x) * RGB_BYTES, RGB_BYTES)
      lines[y * (width + 1) + 1 + x] = nearest(color)
    }
  }
  const header = Buffer.from(png.subarray(SIGNATURE_BYTES + 8, SIGNATURE_BYTES + 8 + 13))
  header[9] = INDEXED
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.concat(palette.map((color) => bytesOf(color)))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function bytesOf(color: number): Buffer {
  const bytes = Buffer.alloc(RGB_BYTES)
  bytes.writeUIntBE(color, 0, RGB_BYTES)
  return bytes
}

function commonColors(pixels: Buffer): number[] {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += RGB_BYTES) {
    const color = pixels.readUIntBE(at, RGB_BYTES)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a)
  return byCount.slice(0, COLORS_MAX).map(([color]) => color)
}

const distance = (a: number, b: number) =>
  [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0)

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

function decode(png: Buffer): Picture {
  const packed: Buffer[] = []
  let at = SIGNATURE_BYTES
  while (at < png.length) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') packed.push(png.subarray(at + 8, at + 8 + length))
    at += length + CHUNK_FRAME_BYTES
  }
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  if (png[24] !== 8 || png[25] !== TRUE_COLOR) throw new Error('not a picture of 24 bits a pixel')
  return { width, height, pixels: unfilter(inflateSync(Buffer.concat(packed)), width * RGB_BYTES) }
}

/** Undoes PNG's line filters, which predict each pixel before compression. */
function unfilter(lines: Buffer, lineBytes: number): Buffer {
  const height = lines.length / (lineBytes + 1)
  const pixels = Buffer.alloc(lineBytes * height)
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (lineBytes + 1)]
    for (let x = 0; x < lineBytes; x += 1) {
      const to = y * lineBytes + x
      const left = x < RGB_BYTES ? 0 : (pixels[to - RGB_BYTES] ?? 0)
      const above = y === 0 ? 0 : (pixels[to - lineBytes] ?? 0)
      const corner = x < RGB_BYTES || y === 0 ? 0 : (pixels[to - lineBytes - RGB_BYTES] ?? 0)
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0]
      pixels[to] = ((lines[y * (lineBytes + 1) + 1 + x] ?? 0) + (guess ?? 0)) & 255
    }
  }
  return pixels
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [byLeft, byAbove, byCorner] = [left, above, corner].map((part) => Math.abs(guess - part))
  if (byLeft === undefined || byAbove === undefined || byCorner === undefined) return 0
  if (byLeft <= byAbove && byLeft <= byCorner) return left
  return byAbove <= byCorner ? above : corner
}
