import { member, isRecord, type JsonRecord, stringifyOrEmpty } from '../bytes/json-value.ts'
import type { EventDecoder } from './events.ts'

export const dataEvent = (json: JsonRecord) => Buffer.from(`data: ${stringifyOrEmpty(json)}\n\n`)

export const DONE_CHUNK = Buffer.from('data: [DONE]\n\n')

/** The last chunk of a failed stream. `body` is the provider's own, if there is one. */
export const errorChunk = (body: JsonRecord): Buffer =>
  dataEvent('error' in body ? body : { error: body })

/** Changes chunks of a provider that speaks chat completions. */
export type ChunkDecoder = {
  readonly form: 'chunks'
  /** Returns the bytes of complete chunks, or nothing while a chunk is incomplete. */
  readonly push: (chunk: Buffer) => Buffer[]
  readonly end: () => Buffer[]
}

export type StreamDecoder = EventDecoder | ChunkDecoder

export function choicesOf(json: unknown): JsonRecord[] {
  const choices = member(json, 'choices')
  if (!Array.isArray(choices)) return []
  return choices.every(isRecord) ? choices : choices.filter(isRecord)
}
