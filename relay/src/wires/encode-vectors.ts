import { member, type JsonRecord } from '../bytes/json-value.ts'
import { writeInSteps } from '../bytes/json-write.ts'
import type { Steps } from '../bytes/steps.ts'

/**
 * Packs vectors as base64 (float32, little endian) if the request asks for it, as OpenAI's client
 * libraries do by default.
 */
export function* encodeVectors(
  vectors: readonly unknown[],
  request: JsonRecord,
): Steps<readonly unknown[]> {
  if (member(request, 'encoding_format') !== 'base64') return vectors
  const encoded: unknown[] = []
  for (const vector of vectors) {
    encoded.push(isVector(vector) ? base64Vector(vector) : vector)
    yield
  }
  return encoded
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number')
}

function base64Vector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT)
  vector.forEach((value, index) =>
    bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT),
  )
  return bytes.toString('base64')
}

/** An answer in OpenAI's format; its usage is left out unless the provider reports a number. */
export function* embeddingsAnswer(
  { model, request }: { readonly model: string; readonly request: JsonRecord },
  vectors: readonly unknown[],
  promptTokens: unknown,
): Steps<Buffer> {
  const embeddings = yield* encodeVectors(vectors, request)
  const isReported = typeof promptTokens === 'number'
  return yield* writeInSteps({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model,
    ...(isReported ? { usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } } : {}),
  })
}
