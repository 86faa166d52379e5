/*
 * Requests with members of unusual types. In every dialect they are rejected with a clear error, or
 * counted and translated for every provider. A request that counting fails on would be served free.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finish } from './bytes/steps.ts'
import { catalogue } from './catalogue.ts'
import { codecOf } from './codecs.ts'
import { countPrompt, countPromptUpperBound } from './count-tokens.ts'
import { isRequestProblem } from './errors/request-problem.ts'
import { UnsupportedParameterError } from './form/codec-errors.ts'
import type { ProviderDescriptor, TextEndpoint } from './provider.ts'
import type { RelayRequest } from './relay-request.ts'
import { anthropicDialect } from './wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from './wires/client-dialect.ts'
import { fitRequest } from './wires/fit-request.ts'
import { geminiCallAt, geminiDialect } from './wires/gemini/dialect.ts'
import { openaiDialect } from './wires/openai-chat/dialect.ts'
import { encodeRequest, requestForCodec } from './wires/openai-chat/encode-request.ts'
import { requestIn } from './wires/openai-chat/testing/chat.ts'
import { createResponsesDialect } from './wires/openai-responses/dialect.ts'
import { cipherFor } from './wires/openai-responses/testing/readable-cipher.ts'

const geminiCall = geminiCallAt('/v1beta/models/gemini-2.5-flash:generateContent', '')

const responses = createResponsesDialect({ cipherFor, now: () => 0 })

/** Each with a fixture that has all that a request may have, as far as anything here reads it. */
const DIALECTS: [string, ClientDialect, TextEndpoint, fixture: string][] = [
  ['a chat of OpenAI', openaiDialect, 'chat', 'openai-chat whole-chat'],
  ['a text of OpenAI', openaiDialect, 'completions', 'openai-chat whole-completion'],
  ['an embedding of OpenAI', openaiDialect, 'embeddings', 'openai-chat whole-embedding'],
  ['a message of Anthropic', anthropicDialect(cipherFor), 'chat', 'anthropic-messages whole'],
  ['contents of Gemini', geminiDialect(geminiCall, cipherFor), 'chat', 'gemini whole'],
  ['a response of OpenAI', responses, 'chat', 'openai-responses whole'],
]

function sampleIn(fixture: string): object {
  const file = `wires/${fixture.replace(' ', '/__fixtures__/requests/')}.json`
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).body
}

const odd = fc.constantFrom<unknown>(
  { toString: 1 },
  { length: 3 },
  { type: { toString: 1 } },
  { type: 'text' },
  {},
  [],
  [null],
  [{}],
  null,
  true,
  -1,
  1e308,
  '',
  'toString',
  '\ud800',
  'data:,',
)
const changes = fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 3 })

test.each(DIALECTS)('any value in %s', async (_, dialect, endpoint, fixture) => {
  const sample = sampleIn(fixture)
  await fc.assert(
    fc.asyncProperty(changes, async (made) => {
      const body = Buffer.from(JSON.stringify(changed(sample, made)))
      const request = finish(dialect.readRequest(endpoint, body, {}))
      if (isRequestProblem(request)) return
      for (const model of ['gpt-4o', 'gpt-4', 'deepseek-chat', 'claude-sonnet-4-5']) {
        expect(await countPrompt(request, { model })).toBeGreaterThanOrEqual(0)
      }
      expect(await countPromptUpperBound(request)).toBeLessThanOrEqual(
        request.promptTokensUpperBound,
      )
      for (const descriptor of catalogue) encodeFor(descriptor, request, endpoint)
    }),
    { numRuns: 200 },
  )
})

test.each(catalogue)('a lone surrogate in a model name is sent to $name.en', (descriptor) => {
  const said = { model: 'a', messages: [{ role: 'user', content: 'hi' }] }
  encodeFor(descriptor, requestIn(said), 'chat', 'a\ud800')
})

/** Each change replaces a member at any depth. */
function changed(sample: object, made: readonly [number, unknown][]): object {
  const whole = structuredClone(sample)
  for (const [which, value] of made) {
    const places = placesIn(whole)
    const place = places[which % places.length]
    if (place !== undefined) Object.assign(place.within, { [place.name]: structuredClone(value) })
  }
  return whole
}

function placesIn(within: object): { within: object; name: string }[] {
  return Object.entries(within).flatMap(([name, value]: [string, unknown]) => [
    { within, name },
    ...(typeof value === 'object' && value !== null ? placesIn(value) : []),
  ])
}

function encodeFor(
  descriptor: ProviderDescriptor,
  asked: RelayRequest,
  endpoint: TextEndpoint,
  model = 'model',
) {
  const codec = codecOf(descriptor)
  const target = { model, descriptor, outputLimit: 30 }
  try {
    if (codec === undefined) return void encodeRequest(asked, target)
    const fitted = fitRequest(asked, target)
    codec.encode({
      endpoint,
      model: target.model,
      channel: { baseUrl: '', key: 'key|id|secret', other: '' },
      now: Date.UTC(2026, 10, 23),
      id: 'request',
      request: requestForCodec(asked, target, fitted),
      form: fitted?.form,
      stream: asked.stream,
      isTranslated: asked.isTranslated ?? false,
    })
  } catch (error) {
    if (!(error instanceof UnsupportedParameterError)) throw error
  }
}
