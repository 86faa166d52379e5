import fc from 'fast-check'
import { isRecord, type JsonRecord, parseJson } from '../../json-value.ts'
import {
  type ProviderCall,
  type ProviderCodec,
  UnsupportedParameterError,
} from '../provider-codec.ts'
import { MADE_ID } from './conformance.ts'

/** A plain call, made in January 2025. */
export function callTo(
  { key, model }: { key: string; model: string },
  parts: Partial<ProviderCall> = {},
): ProviderCall {
  const request = { model, messages: [{ role: 'user', content: 'hi' }] }
  const channel = { baseUrl: '', key, other: '' }
  const now = 1_735_689_600_000
  return { endpoint: 'chat', model, stream: false, channel, now, id: MADE_ID, request, ...parts }
}

export function encoded(codec: ProviderCodec, call: ProviderCall) {
  const { body, ...rest } = codec.encode(call)
  const json = parseJson(body.toString('utf8'))
  if (!isRecord(json)) throw new Error('the body is no JSON object')
  return { ...rest, json }
}

export const chatJson = (
  codec: ProviderCodec,
  call: ProviderCall,
  members: JsonRecord,
): JsonRecord => encoded(codec, { ...call, request: { ...call.request, ...members } }).json

const MEMBERS = [
  'audio',
  'frequency_penalty',
  'functions',
  'logprobs',
  'max_tokens',
  'modalities',
  'reasoning_effort',
  'response_format',
  'seed',
  'stop',
  'stream_options',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'web_search_options',
] as const
const WORDS = ['type', 'text', 'function', 'image_url', 'url', 'name', 'toString', 'input_audio']
const RUNS = 500

/**
 * Fails if a request is neither encoded nor rejected with `UnsupportedParameterError`. Only the
 * members that are checked for every request are valid.
 */
export function sendsOrRefusesAnything(codec: ProviderCodec, call: ProviderCall): void {
  const word = fc.constantFrom(...WORDS)
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, -1, 2, 'auto', 'required', 'none', 'high', 'x'),
      word,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(word, tie('json'), { maxKeys: 4 }),
    ),
  }))
  const members = fc.dictionary(fc.constantFrom(...MEMBERS), json)
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'developer', 'x'),
    content: json,
    tool_calls: json,
    tool_call_id: json,
  })
  const messages = fc.array(message, { minLength: 1, maxLength: 4 })
  const property = fc.property(members, messages, fc.boolean(), (rest, said, stream) => {
    const request = { ...rest, model: call.model, messages: said, stream }
    try {
      codec.encode({ ...call, request, stream })
    } catch (error) {
      if (!(error instanceof UnsupportedParameterError)) throw error
    }
  })
  fc.assert(property, { numRuns: RUNS })
}
