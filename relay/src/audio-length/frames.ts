const ID3_HEAD_BYTES = 10
/** Behind the sound, of the older kind of tag. */
const LAST_TAG_BYTES = 128
const HEAD_BYTES = 7
/** Damage, and tags of other kinds; what has more that is no frame is something else. */
const LOST_BYTES_MAX = 64 * 1024

type Frame = { readonly bytes: number; readonly seconds: number }
type FrameReader = (bytes: Buffer, at: number) => Frame | null

/** MPEG audio (mp3) and AAC in ADTS: frames one behind the other, each of which tells its length. */
export function framedSeconds(bytes: Buffer): number | null {
  let begin = 0
  while (bytes[begin] === 0) begin += 1
  if (!begins(bytes, begin, mpegFrame) && !begins(bytes, begin, adtsFrame)) return null
  // The frames of one kind may lie within those of the other, and which are heard the decoder chooses.
  const [mpeg, adts] = [playedAs(bytes, begin, mpegFrame), playedAs(bytes, begin, adtsFrame)]
  const longer = mpeg.seconds > adts.seconds ? mpeg : adts
  return longer.lostBytes > LOST_BYTES_MAX ? null : longer.seconds
}

/** Where tags at the beginning end, whose sizes have seven bits in each of four bytes. */
export function behindTags(bytes: Buffer): number {
  let at = 0
  while (bytes.toString('latin1', at, at + 3) === 'ID3' && at + ID3_HEAD_BYTES <= bytes.length) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + ID3_HEAD_BYTES)
    if (bytes[at + 3] === 0xff || bytes[at + 4] === 0xff || ((a | b | c | d) & 0x80) !== 0) break
    const footBytes = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : ID3_HEAD_BYTES
    at += ID3_HEAD_BYTES + a * 2 ** 21 + b * 2 ** 14 + c * 2 ** 7 + d + footBytes
  }
  return at
}

/** Of all frames of MPEG audio in a piece, from its beginning on. */
export function mpegSeconds(bytes: Buffer, from: number, size: number): number {
  let seconds = 0
  let at = from
  let frame = mpegFrame(bytes, at)
  while (frame !== null && at < from + size) {
    seconds += frame.seconds
    at += frame.bytes
    frame = mpegFrame(bytes, at)
  }
  return seconds
}

/** Bytes that look like a frame may be anything, unless another one follows or they are the end. */
function begins(bytes: Buffer, at: number, frameAt: FrameReader): boolean {
  const frame = frameAt(bytes, at)
  const next = at + (frame?.bytes ?? 0)
  return frame !== null && (next === bytes.length || frameAt(bytes, next) !== null)
}

type Played = { readonly seconds: number; readonly lostBytes: number }

/** Frames of one kind as long as each follows the one before, and behind that the most that can be heard. */
function playedAs(bytes: Buffer, from: number, frameAt: FrameReader): Played {
  const kind = kindOf(bytes, from)
  let seconds = 0
  let at = from
  let frame = frameAt(bytes, at)
  while (frame !== null && kindOf(bytes, at) === kind) {
    seconds += frame.seconds
    at += frame.bytes
    frame = frameAt(bytes, at)
  }
  if (isEnd(bytes, at)) return { seconds, lostBytes: 0 }
  const behind = mostPlayed(bytes, at, frameAt)
  return { seconds: seconds + behind.seconds, lostBytes: behind.lostBytes }
}

/** Version, layer and rate, which stay as they are. */
const kindOf = (bytes: Buffer, at: number) =>
  ((bytes[at + 1] ?? 0) & 0x1e) * 256 + ((bytes[at + 2] ?? 0) & (isAdts(bytes, at) ? 0x3c : 0x0c))

function isEnd(bytes: Buffer, at: number): boolean {
  const rest = bytes.length - at
  return (
    rest < HEAD_BYTES || (rest === LAST_TAG_BYTES && bytes.toString('latin1', at, at + 3) === 'TAG')
  )
}

/** More than any frame has bytes. */
const RING_LENGTH = 8192
/** More than most files have, and few enough to be gone through in no time. */
const FRAMES_MAX = 2 ** 19

/**
 * Where frames do not follow each other, each decoder begins anew where it likes, and any frame may hide others. The
 * most that any choice of them plays is found from the end on: of what begins here, or what is best behind here.
 */
function mostPlayed(bytes: Buffer, from: number, frameAt: FrameReader): Played {
  /** By position: the seconds and the bytes of the frames that are best from there on. */
  const ring = { seconds: new Float64Array(RING_LENGTH), bytes: new Float64Array(RING_LENGTH) }
  let best = { seconds: 0, bytes: 0 }
  let known = bytes.length
  let count = 0
  for (let at = known - 1; at >= from; at -= 1) {
    const frame = bytes[at] === 0xff ? frameAt(bytes, at) : null
    if (frame === null) continue
    count += 1
    if (count > FRAMES_MAX) return { seconds: 0, lostBytes: Infinity }
    fillRing(ring.seconds, best.seconds, { from: at + 1, to: known })
    fillRing(ring.bytes, best.bytes, { from: at + 1, to: known })
    const end = Math.min(at + frame.bytes, bytes.length) % RING_LENGTH
    const seconds = frame.seconds + (ring.seconds[end] ?? 0)
    if (seconds > best.seconds) best = { seconds, bytes: (ring.bytes[end] ?? 0) + frame.bytes }
    known = at + 1
  }
  return { seconds: best.seconds, lostBytes: bytes.length - from - best.bytes }
}

function fillRing(ring: Float64Array, value: number, { from, to }: { from: number; to: number }) {
  const [begin, end] = [from % RING_LENGTH, to % RING_LENGTH]
  if (to - from >= RING_LENGTH) ring.fill(value)
  else if (begin <= end) ring.fill(value, begin, end)
  else ring.fill(value, begin).fill(value, 0, end)
}

const isAdts = (bytes: Buffer, at: number) =>
  bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0

function adtsFrame(bytes: Buffer, at: number): Frame | null {
  if (!isAdts(bytes, at) || at + HEAD_BYTES > bytes.length) return null
  const rate = ADTS_RATES[(bytes.readUInt8(at + 2) >> 2) & 15]
  const size = (bytes.readUInt32BE(at + 3) >>> 13) & 0x1fff
  if (rate === undefined || size < HEAD_BYTES) return null
  const blocks = (bytes.readUInt8(at + 6) & 3) + 1
  return { bytes: size, seconds: (1024 * blocks) / rate }
}

const ADTS_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  7350,
]

/** ISO 11172-3 and 13818-3: layers are numbered 3, 2 and 1 from the first to the third. */
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

function mpegFrame(bytes: Buffer, at: number): Frame | null {
  const second = bytes[at + 1] ?? 0
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0 || at + HEAD_BYTES > bytes.length) return null
  return MPEG_FRAMES[((second >> 1) & 15) * 128 + ((bytes[at + 2] ?? 0) >> 1)] ?? null
}

/** By version and layer, and bits, rate and padding: a file may have millions that look like one. */
const MPEG_FRAMES = Array.from({ length: 16 * 128 }, (_, index) =>
  mpegFrameOf({ version: index >> 9, layer: (index >> 7) & 3, third: (index & 127) << 1 }),
)

function mpegFrameOf(head: { version: number; layer: number; third: number }): Frame | null {
  const { version, layer, third } = head
  const rate = RATES.get(version)?.[(third >> 2) & 3]
  const kilobits = layer === 0 ? 0 : (kilobitsOf(version, layer)[third >> 4] ?? 0)
  if (rate === undefined || kilobits === 0) return null
  const samples = samplesOf(version, layer)
  const padding = (third >> 1) & 1
  const slots = Math.floor(((samples / 8) * ((kilobits * 1000) / rate)) / slotBytes(layer))
  return { bytes: (slots + padding) * slotBytes(layer), seconds: samples / rate }
}

function slotBytes(layer: number): number {
  return layer === LAYER_1 ? 4 : 1
}

function kilobitsOf(version: number, layer: number): readonly number[] {
  if (version !== MPEG_1) return layer === LAYER_1 ? KILOBITS.firstHalved : KILOBITS.halved
  if (layer === LAYER_1) return KILOBITS.first
  return layer === LAYER_3 ? KILOBITS.third : KILOBITS.second
}

function samplesOf(version: number, layer: number): number {
  if (layer === LAYER_1) return 384
  return layer === LAYER_3 && version !== MPEG_1 ? 576 : 1152
}
