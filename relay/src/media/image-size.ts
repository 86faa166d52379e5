export type ImageSize = { readonly width: number; readonly height: number }

const HEADER_BYTES = 64 * 1024

/** Reads only the first bytes of a data URL. Null for other URLs and unknown formats. */
export function imageSize(url: string): ImageSize | null {
  const comma = /^data:[^,]{0,200};base64,/i.exec(url)?.[0].length
  if (comma === undefined) return null
  return imageSizeIn(Buffer.from(url.slice(comma, comma + HEADER_BYTES), 'base64'))
}

export function imageSizeIn(bytes: Buffer): ImageSize | null {
  const size = sizeIn(bytes.subarray(0, HEADER_BYTES))
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

function sizeIn(bytes: Buffer): ImageSize | null {
  switch (imageType(bytes)) {
    case 'image/png':
      return pngSize(bytes)
    case 'image/gif':
      return gifSize(bytes)
    case 'image/webp':
      return webpSize(bytes)
    case 'image/jpeg':
      return jpegSize(bytes)
    default:
      return null
  }
}

function pngSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 24) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 10) return null
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function webpSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30) return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    default:
      return null
  }
}

/** Walks the segments to the start-of-frame segment, which holds the size. */
function jpegSize(bytes: Buffer): ImageSize | null {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (isFrameStart(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    at += 2 + Math.max(bytes.readUInt16BE(at + 2), 2)
  }
  return null
}

/** Start-of-frame markers: C0 to CF, except the three that define tables. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

const SIGNATURES = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
] as const

type ImageType = (typeof SIGNATURES)[number][1] | 'image/webp'

/** Reads the first bytes, since declared types and file names are unreliable. */
export function imageType(bytes: Buffer): ImageType | null {
  const head = bytes.toString('latin1', 0, 12)
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  return SIGNATURES.find(([begin]) => head.startsWith(begin))?.[1] ?? null
}
