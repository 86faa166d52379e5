import { member, type JsonRecord } from '../json-value.ts'

/** Packs vectors where the client asked for base64 (float32, little endian), as clients of OpenAI do unasked. */
export function vectorsAsAsked(vectors: readonly unknown[], request: JsonRecord): unknown[] {
  const packs = member(request, 'encoding_format') === 'base64'
  return vectors.map((vector) => (packs && isVector(vector) ? packed(vector) : vector))
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number')
}

function packed(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT)
  vector.forEach((value, index) =>
    bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT),
  )
  return bytes.toString('base64')
}
