import { isRecord, type JsonRecord, parseJson } from '../../json-value.ts'
import type { ProviderCall, ProviderCodec } from '../provider-codec.ts'
import { MADE_ID } from './conformance.ts'

/** A call in January 2025, of whose channel and request nothing is special. */
export function callTo(
  { key, model }: { key: string; model: string },
  parts: Partial<ProviderCall> = {},
): ProviderCall {
  const request = { model, messages: [{ role: 'user', content: 'hi' }] }
  const channel = { baseUrl: '', key, other: '' }
  const now = 1_735_689_600_000
  return { endpoint: 'chat', model, stream: false, channel, now, id: MADE_ID, request, ...parts }
}

/** What is sent, with the body as JSON. */
export function encoded(codec: ProviderCodec, call: ProviderCall) {
  const { body, ...rest } = codec.encode(call)
  const json = parseJson(body.toString('utf8'))
  if (!isRecord(json)) throw new Error('the body is no JSON object')
  return { ...rest, json }
}

/** What is sent for a chat request with these members. */
export const chatJson = (
  codec: ProviderCodec,
  call: ProviderCall,
  members: JsonRecord,
): JsonRecord => encoded(codec, { ...call, request: { ...call.request, ...members } }).json
