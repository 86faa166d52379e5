import { type JsonRecord, stringifyOrEmpty } from '../../bytes/json-value.ts'

export const dataEvent = (json: JsonRecord) => Buffer.from(`data: ${stringifyOrEmpty(json)}\n\n`)

export const DONE_CHUNK = Buffer.from('data: [DONE]\n\n')

/** The last chunk of a failed stream. `body` is the provider's own, if there is one. */
export const errorChunk = (body: JsonRecord): Buffer =>
  dataEvent('error' in body ? body : { error: body })
