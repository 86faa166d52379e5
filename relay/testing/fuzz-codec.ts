import fc from 'fast-check'
import { test } from 'vitest'
import { UnsupportedParameterError } from '../src/form/codec-errors.ts'
import type { ProviderCall, ProviderCodec } from '../src/wires/provider-codec.ts'
import type { Fixture } from './fixture-pairs.ts'
import type { Reader } from './read-provider.ts'

const INPUT_RUNS = 200
const REQUEST_RUNS = 200

/** No body and no stream makes the codec throw. */
export function testAnyInput(
  answers: readonly Fixture[],
  streams: readonly Fixture[],
  read: Reader,
): void {
  const textsOf = (fixtures: readonly Fixture[]) =>
    fixtures.filter(({ request }) => request === undefined).map(({ bytes }) => bytes.toString())
  test('throws for no answer', () => {
    const text = fc.oneof(fc.json(), fc.string(), mutations(textsOf(answers)))
    const property = fc.property(text, (body) => {
      read.whole({ bytes: Buffer.from(body), request: undefined })
    })
    fc.assert(property, { numRuns: INPUT_RUNS })
  })
  test('throws for no stream', () => {
    const replay = read.stream({ request: undefined })
    const events = fc.json().map((json) => `data: ${json}\n\n${json}\n`)
    const text = fc.oneof(events, mutations(textsOf(streams)))
    const property = fc.property(text, (stream) => {
      replay([Buffer.from(stream)])
    })
    fc.assert(property, { numRuns: INPUT_RUNS })
  })
}

/** Replaces a random piece of a text with nothing or with a value of another type. */
function mutations(texts: readonly string[]): fc.Arbitrary<string> {
  const replacement = fc.constantFrom('', 'null', '[]', '{}', '7', '"x"')
  return fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat(30), replacement)
    .map(([text, at, length, piece]) => {
      const start = at % Math.max(1, text.length)
      return text.slice(0, start) + piece + text.slice(start + length)
    })
}

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

/**
 * Any request is encoded or refused with `UnsupportedParameterError`. Only the members that are
 * checked for every request are valid.
 */
export function testAnyRequest(codec: ProviderCodec, call: ProviderCall): void {
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
  test('sends or refuses any request', () => {
    const property = fc.property(
      members,
      messages,
      fc.boolean(),
      (rest, generatedMessages, stream) => {
        const request = { ...rest, model: call.model, messages: generatedMessages, stream }
        try {
          codec.encode({ ...call, request, stream })
        } catch (error) {
          if (!(error instanceof UnsupportedParameterError)) throw error
        }
      },
    )
    fc.assert(property, { numRuns: REQUEST_RUNS })
  })
}
