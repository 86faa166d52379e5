const ID3_HEAD_BYTES = 10
/** How far into a file the first frame is searched for; encoders put little before it. */
const LEAD_BYTES_MAX = 64 * 1024
const HEAD_BYTES = 7
/** A damaged recording has some losses; a file with more is not a recording. */
const LOSSES_MAX = 10_000

type Frame = { readonly bytes: number; readonly seconds: number }

/** MPEG audio (mp3) and AAC in ADTS: consecutive frames, each of which states its length. */
export function framedSeconds(bytes: Buffer): number | null {
  const begin = firstFrameAt(bytes, behindTag(bytes))
  if (begin === null) return null
  let seconds = 0
  let losses = 0
  let at = begin
  while (at !== -1 && at + HEAD_BYTES <= bytes.length) {
    const frame = frameAt(bytes, at)
    if (frame === null) losses += 1
    if (losses > LOSSES_MAX) return null
    if (frame !== null) seconds += frame.seconds
    at = frame === null ? bytes.indexOf(0xff, at + 1) : at + frame.bytes
  }
  return seconds
}

/** Seconds in one MPEG audio frame; zero if there is none. */
export const mpegFrameSeconds = (bytes: Buffer, at: number): number =>
  frameAt(bytes, at)?.seconds ?? 0

/** End of an ID3 tag. The tag's size is stored in seven bits of each of four bytes. */
function behindTag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < ID3_HEAD_BYTES) return 0
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10)
  return ID3_HEAD_BYTES + ((a & 0x7f) * 2 ** 21 + (b & 0x7f) * 2 ** 14 + (c & 0x7f) * 2 ** 7 + d)
}

/** A match counts as a frame only if another frame follows or the file ends after it. */
function firstFrameAt(bytes: Buffer, from: number): number | null {
  let at = bytes.indexOf(0xff, from)
  while (at !== -1 && at - from < LEAD_BYTES_MAX) {
    const frame = frameAt(bytes, at)
    const next = frame === null ? 0 : at + frame.bytes
    if (frame !== null && (next === bytes.length || frameAt(bytes, next) !== null)) return at
    at = bytes.indexOf(0xff, at + 1)
  }
  return null
}

function frameAt(bytes: Buffer, at: number): Frame | null {
  const second = bytes[at + 1] ?? 0
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0 || at + HEAD_BYTES > bytes.length) return null
  const layer = (second >> 1) & 3
  const third = bytes[at + 2] ?? 0
  if (layer !== 0) return mpegFrame({ version: (second >> 3) & 3, layer, third })
  return (second & 0xf0) === 0xf0 ? adtsFrame(bytes, at) : null
}

function adtsFrame(bytes: Buffer, at: number): Frame | null {
  const rate = AAC_RATES[(bytes.readUInt8(at + 2) >> 2) & 15]
  const size = (bytes.readUInt32BE(at + 3) >>> 13) & 0x1fff
  if (rate === undefined || size < HEAD_BYTES) return null
  const blocks = (bytes.readUInt8(at + 6) & 3) + 1
  return { bytes: size, seconds: (1024 * blocks) / rate }
}

export const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  7350,
]

/** ISO 11172-3 and 13818-3: the codes for layers I, II and III are 3, 2 and 1. */
const MPEG_1 = 3
const LAYER_1 = 3
const LAYER_3 = 1
const RATES = new Map([
  [MPEG_1, [44_100, 48_000, 32_000]],
  [2, [22_050, 24_000, 16_000]],
  [0, [11_025, 12_000, 8000]],
])
const KILOBITS = {
  first: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  second: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  third: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  firstHalved: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  halved: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}

function mpegFrame(head: { version: number; layer: number; third: number }): Frame | null {
  const { version, layer, third } = head
  const rate = RATES.get(version)?.[(third >> 2) & 3]
  const kilobits = kilobitsOf(version, layer)[third >> 4] ?? 0
  if (rate === undefined || kilobits === 0) return null
  const samples = samplesOf(version, layer)
  const padding = (third >> 1) & 1
  const slots = Math.floor(((samples / 8) * ((kilobits * 1000) / rate)) / slotBytes(layer))
  return { bytes: (slots + padding) * slotBytes(layer), seconds: samples / rate }
}

const slotBytes = (layer: number) => (layer === LAYER_1 ? 4 : 1)

function kilobitsOf(version: number, layer: number): readonly number[] {
  if (version !== MPEG_1) return layer === LAYER_1 ? KILOBITS.firstHalved : KILOBITS.halved
  if (layer === LAYER_1) return KILOBITS.first
  return layer === LAYER_3 ? KILOBITS.third : KILOBITS.second
}

function samplesOf(version: number, layer: number): number {
  if (layer === LAYER_1) return 384
  return layer === LAYER_3 && version !== MPEG_1 ? 576 : 1152
}
