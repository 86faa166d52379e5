import type { SampleSeconds } from './sound-entry.ts'

/** Tables of a track (ISO 14496-12, 8.6 and 8.7), each starting with its version and flags. */
export type SampleTables = {
  /** Sample counts and their durations. */
  stts?: Buffer
  /** Sample sizes in bytes; `stz2` stores them in fewer bits. */
  stsz?: Buffer
  stz2?: Buffer
  /** Samples per chunk, and chunk offsets; `co64` serves files beyond 4 GB. */
  stsc?: Buffer
  stco?: Buffer
  co64?: Buffer
}

/** Consecutive samples. */
export type Samples = {
  readonly count: number
  readonly sizeAt: (index: number) => number
}

/** Duration of all samples, and of the last sample, in seconds. */
export type PlayedSamples = { readonly seconds: number; readonly last: number }

/** In units of the track's timescale. */
export function declaredDuration({ stts }: SampleTables): number {
  if (stts === undefined) return 0
  let duration = 0
  for (let at = 8; at + 8 <= stts.length; at += 8) {
    const each = stts.readInt32BE(at + 4)
    if (each > 0) duration += stts.readUInt32BE(at) * each
  }
  return duration
}

const FIELD_BITS = new Set([4, 8, 16, 32])

/** The samples of a file without fragments. */
export function samplesOf({ stsz, stz2 }: SampleTables, maxBytes: number): Samples {
  const table = stsz ?? stz2
  if (table === undefined || table.length < 12) return { count: 0, sizeAt: () => 0 }
  const declared = table.readUInt32BE(8)
  const size = stsz === undefined ? 0 : table.readUInt32BE(4)
  if (size > 0)
    return { count: Math.min(declared, Math.floor(maxBytes / size)), sizeAt: () => size }
  const bits = stsz === undefined ? (table[7] ?? 0) : 32
  if (!FIELD_BITS.has(bits)) return { count: 0, sizeAt: () => 0 }
  const count = Math.min(declared, Math.floor(((table.length - 12) * 8) / bits))
  return { count, sizeAt: (index) => sizeIn(table, bits, index) }
}

function sizeIn(table: Buffer, bits: number, index: number): number {
  if (bits !== 4) return table.readUIntBE(12 + (index * bits) / 8, Math.ceil(bits / 8))
  const pair = table.readUInt8(12 + (index >> 1))
  return index % 2 === 0 ? pair >> 4 : pair & 15
}

/** Plays samples in chunks, which may be anywhere in the file. */
export function playedInChunks(
  bytes: Buffer,
  tables: SampleTables,
  { samples, each }: { samples: Samples; each: SampleSeconds },
): PlayedSamples {
  if (typeof each === 'number') return { seconds: samples.count * each, last: each }
  const offsets = chunkOffsets(tables)
  const countIn = chunkCounts(tables)
  let [seconds, last, first] = [0, 0, 0]
  for (const [chunk, at] of offsets.entries()) {
    const count = Math.min(countIn(chunk), samples.count - first)
    if (count <= 0) continue
    const from = first
    const sizeAt = (index: number) => samples.sizeAt(from + index)
    const played = playedFrom(bytes, at, { samples: { count, sizeAt }, each })
    seconds += played.seconds
    last = played.last
    first += count
  }
  return { seconds, last }
}

/** Plays consecutive samples; `end` is the offset after them. */
export function playedFrom(
  bytes: Buffer,
  from: number,
  { samples: { count, sizeAt }, each }: { samples: Samples; each: SampleSeconds },
): PlayedSamples & { readonly end: number } {
  let [seconds, last, at] = [0, 0, from]
  for (let index = 0; index < count; index += 1) {
    last = typeof each === 'number' ? each : each(bytes, at)
    seconds += last
    at += sizeAt(index)
  }
  return { seconds, last, end: at }
}

function chunkOffsets({ stco, co64 }: SampleTables): number[] {
  const table = stco ?? co64 ?? Buffer.alloc(0)
  const width = stco === undefined ? 8 : 4
  return Array.from({ length: Math.max(0, Math.floor((table.length - 8) / width)) }, (_, index) =>
    width === 4 ? table.readUInt32BE(8 + index * 4) : Number(table.readBigUInt64BE(8 + index * 8)),
  )
}

/** The returned function must be called with ascending chunks. */
function chunkCounts({ stsc = Buffer.alloc(0) }: SampleTables): (chunk: number) => number {
  let at = 8
  const firstOf = (entry: number) =>
    entry + 12 <= stsc.length ? stsc.readUInt32BE(entry) : Infinity
  return (chunk) => {
    while (firstOf(at + 12) <= chunk + 1) at += 12
    return firstOf(at) <= chunk + 1 ? stsc.readUInt32BE(at + 4) : 0
  }
}
