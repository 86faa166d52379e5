import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { FILE_TOKENS_MAX, GEMINI_TOKENS_MAX } from '../../tokens/attachments.ts'
import { NO_USAGE } from '../../usage/usage.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { readGeminiRequest } from './read-request.ts'
import { ContentStreamEncoder } from './stream-encoder.ts'

const USAGE = { ...NO_USAGE, promptTokens: 9, completionTokens: 4 }

const CALL = { model: 'm', method: 'generateContent', cipher: READABLE_CIPHER } as const

const readAny = (body: string) => finish(readGeminiRequest(Buffer.from(body), CALL)).request
const read = (body: string) => accepted(readAny(body))

const native = (body: string) => {
  const form = read(body).native
  if (form === undefined) throw new Error('it has no native form')
  return form
}

const bodyOf = (rest: string, part = '{"text":"hi"}') =>
  `{ "contents":[{"parts":[${part}]}]${rest}}`

const LIMITED = { model: 'm', outputLimit: 7 }

test.each([
  ['nothing', '', { model: 'm' }, ''],
  ['another model', '', { model: 'o' }, ''],
  ['another model where it is named', ',"model":"models/m"', { model: 'o' }, ',"model":"models/o"'],
  [
    'the same model where another is named',
    ',"model":"models/dear"',
    { model: 'm' },
    ',"model":"models/m"',
  ],
  ['a limit', '', LIMITED, ',"generationConfig":{"maxOutputTokens":7}'],
  [
    'a limit among other settings',
    ', "generationConfig" : { "seed":1.0 }',
    LIMITED,
    ', "generationConfig" : { "seed":1.0,"maxOutputTokens":7 }',
  ],
  [
    'a lower limit, in snake case',
    ',"generation_config":{"max_output_tokens": 90}',
    LIMITED,
    ',"generation_config":{"max_output_tokens": 7}',
  ],
  [
    'a higher limit',
    ',"generationConfig":{"maxOutputTokens":5}',
    LIMITED,
    ',"generationConfig":{"maxOutputTokens":5}',
  ],
])('changes in a body for %s', (_what, rest, target, sent) => {
  expect(native(bodyOf(rest)).encode(target).toString()).toBe(bodyOf(sent))
})

const call = (signature?: string) => ({
  functionCall: { name: 'f', args: {} },
  ...(signature === undefined ? {} : { thoughtSignature: signature }),
})
const said = (...parts: object[]) => ({ role: 'model', parts })
const results = (...more: object[]) => ({
  role: 'user',
  parts: [{ functionResponse: { name: 'f', response: {} } }, ...more],
})
const second = { function_response: { name: 'f', response: {} } }
const chat = (...contents: object[]) =>
  `{"contents": ${JSON.stringify([{ parts: [{ text: 'hi' }] }, ...contents])}}`
const SKIPPED = 'skip_thought_signature_validator'

test.each([
  ['one call', chat(said(call()), results()), chat(said(call(SKIPPED)), results())],
  [
    'the first of several',
    chat(said({ text: 'x' }, call(), call()), results(second), said(call('s'))),
    chat(said({ text: 'x' }, call(SKIPPED), call()), results(second), said(call('s'))),
  ],
  ['none where the first is signed', chat(said(call('s'), call()), results(second)), null],
])("calls of other providers' models get a signature: %s", (_what, body, sent) => {
  const form = native(body)
  expect(form.encode({ model: 'gemini-3.5-flash' }).toString()).toBe(sent ?? body)
  expect(form.encode({ model: 'gemini-2.5-flash' }).toString()).toBe(body)
})

test.each([
  bodyOf(',"generationConfig":{"maxOutputTokens":1},"generation_config":{}'),
  bodyOf(',"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}'),
  bodyOf(',"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9}'),
  bodyOf(',"contents":[]'),
])('%s is refused, because Google could read it differently', (body) => {
  expect(readAny(body)).toHaveProperty('message', expect.stringMatching(/more than once/))
})

test.each([
  [',"GenerationConfig":{}', 'GenerationConfig'],
  [',"generationConfig":{"candidatecount":8}', 'candidatecount'],
])('%s is refused, because other providers may read it', (rest, param) => {
  expect(readAny(bodyOf(rest))).toMatchObject({ param, message: expect.stringMatching(/write '/) })
})

test.each([
  ['maxOutputTokens', '{"maxOutputTokens":0}'],
  ['candidateCount', '{"candidateCount":"2"}'],
])('%s is checked also if only Google can serve the request', (name, config) => {
  const body = bodyOf(`,"cachedContent":"c","generationConfig":${config}`)
  expect(readAny(body)).toMatchObject({ param: `generationConfig.${name}` })
})

test('limits and texts of members that only Google understands are known', () => {
  const rest =
    ',"tools":[{"codeExecution":{}}],"generationConfig":{"maxOutputTokens":9,"candidateCount":3}'
  const asked = read(bodyOf(rest))
  expect(asked).toMatchObject({ outputLimit: 9, choices: 3, stream: false })
  expect(asked.json()['messages']).toEqual([{ role: 'user', content: 'hi' }])
  expect(asked.native?.obstacle).toMatchObject({ param: 'tools.0.codeExecution' })
})

test('whether other dialects would lose something', () => {
  expect(native(bodyOf(',"safetySettings":[],"novelty":null')).isLossy).toBe(false)
  expect(native(bodyOf(',"novelty":1')).isLossy).toBe(true)
})

test('no prompt has more tokens than its hold covers', () => {
  const most = (body: string) => read(body).promptTokensUpperBound - body.length
  expect(most(bodyOf(', "novelty":"a member of whatever length counts with its bytes"'))).toBe(0)
  expect(most(bodyOf(',"tools":[{"googleSearch":{},"url_context":{}}]'))).toBe(
    FILE_TOKENS_MAX + GEMINI_TOKENS_MAX,
  )
  expect(most(bodyOf(',"tools":[{"function_declarations":[{"name":"f"}]}]'))).toBeLessThan(99)
  const cached = ',"cachedContent":"c"'
  const media = (mimeType: string) => `{"inlineData":{"mimeType":"${mimeType}","data":"AAAA"}}`
  expect(most(bodyOf(cached, media('image/png')))).toBe(GEMINI_TOKENS_MAX + 12_000 - 4)
  expect(most(bodyOf(cached, media('audio/wav')))).toBe(GEMINI_TOKENS_MAX)
  // Files and cached content may fill the context window, once.
  const video = '{"file_data":{"file_uri":"u"}}'
  expect(most(bodyOf('', video))).toBe(GEMINI_TOKENS_MAX)
  expect(most(bodyOf('', `${video},${video}`))).toBe(GEMINI_TOKENS_MAX)
  expect(most(bodyOf(cached))).toBe(GEMINI_TOKENS_MAX)
  expect(most(bodyOf(cached, video))).toBe(GEMINI_TOKENS_MAX)
})

test('the size of files and results of tools is unknown', () => {
  const has = (rest: string, part?: string) => read(bodyOf(rest, part)).hasFiles
  const media = (mimeType: string) => `{"inlineData":{"mimeType":"${mimeType}","data":"AAAA"}}`
  expect(has(',"tools":[{"function_declarations":[{"name":"f"}]}]')).toBe(false)
  expect(has('', media('image/png'))).toBe(false)
  expect(has('', media('video/mp4'))).toBe(true)
  expect(has('', '{"fileData":{"fileUri":"https://www.youtube.com/watch?v=x"}}')).toBe(true)
  expect(has(',"tools":[{"url_context":{}}]')).toBe(true)
  expect(has(',"cachedContent":"c"')).toBe(true)
})

const EVENT = Buffer.from('data: {"a": 1}\r\n\r\n')
const speak = (asEvents: boolean) => {
  const { native: speaker } = new ContentStreamEncoder({
    asEvents,
    includeThoughts: false,
    cipher: READABLE_CIPHER,
  })
  return (events: Buffer[], ending: Buffer[], usage: typeof USAGE | null) =>
    Buffer.concat([...speaker.passThrough(events), speaker.end(ending, usage)]).toString()
}

test('events are sent unchanged, or as the items of an array', () => {
  const comment = Buffer.from(': alive\n\n')
  expect(speak(true)([EVENT, comment], [EVENT], null)).toBe([EVENT, comment, EVENT].join(''))
  const array = speak(false)([comment, EVENT, EVENT], [EVENT], null)
  expect(array).toBe('[{"a": 1}\n,\n{"a": 1}\n,\n{"a": 1}\n]')
})

test('a stream without usage receives the metered usage at its end', () => {
  const told =
    '{"a": 1,"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"totalTokenCount":13}}'
  expect(speak(true)([EVENT], [EVENT], USAGE)).toBe([EVENT, `data: ${told}\r\n\r\n`].join(''))
  expect(speak(false)([], [EVENT], USAGE)).toBe(`[${told}\n]`)
  expect(finish(native(bodyOf('')).withUsage(Buffer.from('{"a": 1}'), USAGE)).toString()).toBe(told)
})
