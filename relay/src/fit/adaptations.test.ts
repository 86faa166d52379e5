import { expect, test } from 'vitest'
import { encodeChat } from '../../testing/client-request.ts'
import type { JsonRecord } from '../bytes/json-value.ts'
import { descriptorOf } from '../catalogue.ts'
import { isRequestProblem } from '../errors/request-problem.ts'
import { anthropicDialect } from '../wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from '../wires/client-dialect.ts'
import { geminiCallAt, geminiDialect } from '../wires/gemini/dialect.ts'
import { openaiDialect } from '../wires/openai-chat/dialect.ts'
import { createResponsesDialect } from '../wires/openai-responses/dialect.ts'
import { cipherFor } from '../wires/openai-responses/testing/readable-cipher.ts'
import { ADAPTATIONS, Adaptations } from './adaptations.ts'

const [OPENAI, ANTHROPIC, GEMINI, RESPONSES] = [1, 14, 24, 1002]

type Target = { readonly type: number; readonly model: string }

const adapted = (dialect: ClientDialect, target: Target, body: JsonRecord) =>
  send(dialect, target, body).adapted

const sentBody = (dialect: ClientDialect, target: Target, body: JsonRecord) =>
  send(dialect, target, body).body

function send(dialect: ClientDialect, { type, model }: Target, body: JsonRecord) {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`no channel type ${type}`)
  const record: { adapted?: string[] } = {}
  const channel = { baseUrl: '', key: 'k', other: '' }
  const adaptations = new Adaptations(record)
  const sent = encodeChat(dialect, { descriptor, channel }, { model, body, adaptations })
  if (isRequestProblem(sent)) throw new Error(sent.message)
  return { adapted: record.adapted?.toSorted() ?? [], body: sent.body.toString() }
}

const messagesDialect = anthropicDialect(cipherFor)
const responsesDialect = createResponsesDialect({ cipherFor, now: () => 0 })

const user = { role: 'user', content: 'hi' }
const messages = (rest: JsonRecord) => ({ model: 'm', max_tokens: 100, messages: [user], ...rest })
const chat = (rest: JsonRecord) => ({ model: 'm', messages: [user], ...rest })
const responses = (rest: JsonRecord) => ({ model: 'm', input: 'hi', ...rest })

const thoughtCalling = (signature: string, id: string) => ({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature },
    { type: 'tool_use', id, name: 'f', input: {} },
  ],
})
const resultOf = (id: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
})

const GPT = { type: OPENAI, model: 'gpt-5.4' }
const OLDER_GPT = { type: OPENAI, model: 'gpt-4.1' }
const CLAUDE = { type: ANTHROPIC, model: 'claude-opus-4-8' }
const FLASH = { type: GEMINI, model: 'gemini-2.5-flash' }

test.each([
  [OLDER_GPT, { temperature: 0.5, stop_sequences: ['a'], metadata: { user_id: 'u' } }, []],
  [OLDER_GPT, { top_k: 3 }, ['top_k']],
  [{ type: OPENAI, model: 'gpt-5-mini' }, { temperature: 0.5 }, ['temperature']],
  [OLDER_GPT, { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, ['tools']],
  [OLDER_GPT, { container: 'c' }, ['other_members']],
  [
    OLDER_GPT,
    { tools: [{ name: 'mcp.fs/read', input_schema: { type: 'object' } }] },
    ['tool_names'],
  ],
  [OLDER_GPT, { messages: [user, thoughtCalling('EpQB', 'toolu_1'), user] }, ['reasoning']],
  // The own wire: the client's bytes.
  [CLAUDE, { top_k: 3, container: 'c', temperature: 0.5 }, []],
  [
    CLAUDE,
    { messages: [user, thoughtCalling('', 'functions.f:0'), resultOf('functions.f:0')] },
    ['reasoning', 'tool_ids'],
  ],
])('a Messages request for %o: %o', (target, rest, expected) => {
  expect(adapted(messagesDialect, target, messages(rest))).toEqual(expected)
})

test.each([
  [CLAUDE, { temperature: 0.5, user: 'u', stop: 'a', n: 1, tool_choice: 'auto' }, ['temperature']],
  [CLAUDE, { seed: 7, presence_penalty: 0, logit_bias: {}, logprobs: false }, ['seed']],
  [CLAUDE, { user: 'u'.repeat(300), verbosity: 'low' }, ['user', 'verbosity']],
  [CLAUDE, { max_tokens: 1_000_000 }, ['max_tokens']],
  [CLAUDE, { response_format: { type: 'json_object' } }, ['response_format']],
  [FLASH, { temperature: 0.5, top_p: 0.5, seed: 7, stop: ['a'], reasoning_effort: 'low' }, []],
  [FLASH, { logit_bias: { 1: 2 }, user: 'u' }, ['logit_bias', 'user']],
  [{ type: RESPONSES, model: 'gpt-5.4' }, { seed: 7, reasoning_effort: 'low' }, ['seed']],
  // The own wire: the client's bytes.
  [GPT, { temperature: 0.5, seed: 7, user: 'u' }, []],
  [OLDER_GPT, { tools: null, stop: null }, []],
  [GPT, { user: 'u'.repeat(300), max_tokens: 5 }, ['user']],
  [{ type: OPENAI, model: 'gpt-5-mini' }, { temperature: 0.5 }, ['temperature']],
])('a chat for %o: %o', (target, rest, expected) => {
  expect(adapted(openaiDialect, target, chat(rest))).toEqual(expected)
})

test.each([
  [OLDER_GPT, { tools: [{ type: 'web_search' }], max_tool_calls: 3 }, ['other_members', 'tools']],
  [OLDER_GPT, { truncation: 'disabled', service_tier: 'auto' }, []],
  [{ type: RESPONSES, model: 'gpt-5.4' }, { tools: [{ type: 'web_search' }] }, ['tools']],
  [{ type: RESPONSES, model: 'gpt-5.4' }, { max_tool_calls: 3 }, []],
])('a Responses request for %o: %o', (target, rest, expected) => {
  expect(adapted(responsesDialect, target, responses(rest))).toEqual(expected)
})

test('a file by id in the history is named, also in a result at the end', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const image = [{ type: 'input_image', file_id: 'file_1' }]
  const result = { type: 'function_call_output', call_id: 'c', output: image }
  const given = responses({ input: [user, call, result] })
  expect(adapted(responsesDialect, CLAUDE, given)).toEqual(['media'])
  expect(sentBody(responsesDialect, CLAUDE, given)).toContain(
    '[An image that this model cannot read]',
  )
  const file = { role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }
  const asked = responses({ input: [file, { role: 'assistant', content: 'No.' }, user] })
  expect(adapted(responsesDialect, OLDER_GPT, asked)).toEqual(['media'])
  expect(sentBody(responsesDialect, OLDER_GPT, asked)).toContain(
    '[A file that this model cannot read]',
  )
})

const GENERATES = geminiCallAt('/v1beta/models/m:generateContent', '')

const said = { role: 'assistant', content: 'No.' }
const cut = { type: 'image', source: { type: 'file', file_id: 'file_1' } }
const result = { type: 'tool_result', tool_use_id: 't', content: [cut] }

test.each<[JsonRecord, readonly string[]]>([
  [{ role: 'user', content: [cut, { type: 'text', text: 'hi' }] }, ['media']],
  [{ role: 'user', content: [result] }, ['media']],
  [{ role: 'assistant', content: [cut] }, ['media']],
  [{ role: 'user', content: [{ type: 'text' }] }, ['messages']],
  [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: '', input: {} }] },
    ['messages'],
  ],
  [{ role: 'user', content: [{ type: 'text', text: '' }] }, []],
])('what is left out of the history of Messages is noted: %j: %o', (message, expected) => {
  const given = messages({ messages: [user, said, message, said, user] })
  expect(adapted(messagesDialect, OLDER_GPT, given)).toEqual(expected)
})

test.each<[string, JsonRecord, readonly string[]]>([
  ['user', { fileData: {} }, ['media']],
  ['user', { inlineData: { mimeType: 'image/png', data: '' } }, ['media']],
  ['user', { functionResponse: { name: 'f', parts: [{ inlineData: {} }] } }, ['media']],
  ['user', { text: 7 }, ['messages']],
  ['model', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }, ['media']],
  ['model', { functionCall: { args: {} } }, ['messages']],
  ['model', { thoughtSignature: 'AAAA' }, []],
])('what is left out of the history of Gemini is noted: %s, %j: %o', (role, part, expected) => {
  const asked = { role: 'user', parts: [{ text: 'hi' }] }
  const answered = { role: 'model', parts: [{ text: 'No.' }] }
  const contents = [asked, answered, { role, parts: [part, { text: 'hi' }] }, answered, asked]
  const dialect = geminiDialect(GENERATES, cipherFor)
  expect(adapted(dialect, OLDER_GPT, { contents })).toEqual(expected)
})

test.each<[JsonRecord, readonly string[]]>([
  [{ type: 'input_image', file_id: 'file_1' }, ['media']],
  [{ type: 'input_image', image_url: 'https://example.com/a.png' }, ['media']],
  [{ type: 'unknown' }, ['messages']],
])('what is left out of a developer message is noted: %j: %o', (part, expected) => {
  const developer = {
    role: 'developer',
    content: [{ type: 'input_text', text: 'Be brief.' }, part],
  }
  const given = responses({ input: [developer, user, said, user] })
  expect(adapted(responsesDialect, OLDER_GPT, given)).toEqual(expected)
  expect(sentBody(responsesDialect, OLDER_GPT, given)).toContain('Be brief.')
})

test('hints that OpenAI refuses in Responses are noted, and other options of a stream stay', () => {
  const options = { include_usage: true, include_obfuscation: false }
  const given = responses({ store: false, stream: true, stream_options: options })
  const hinted = { ...given, presence_penalty: 1.5, frequency_penalty: 0 }
  const sent = send(responsesDialect, { type: RESPONSES, model: 'gpt-4.1' }, hinted)
  expect(sent.adapted).toEqual(['presence_penalty'])
  const stream_options = { include_obfuscation: false }
  expect(JSON.parse(sent.body)).toEqual({ ...given, model: 'gpt-4.1', stream_options })
})

test('a summary that Claude has not written is no answer', () => {
  const answer = { role: 'assistant', content: [{ type: 'compaction', content: null }] }
  const given = messages({ messages: [user, answer, user] })
  expect(sentBody(messagesDialect, OLDER_GPT, given)).not.toContain('assistant')
})

test('one of several images that is named is noted', () => {
  const image = (type: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: `image/${type}`, data: 'AAAA' },
  })
  const noted = (...types: string[]) => {
    const asked = { role: 'user', content: types.map(image) }
    const gpt = { type: OPENAI, model: 'gpt-4o' }
    return adapted(messagesDialect, gpt, messages({ messages: [asked, said, user] }))
  }
  expect([noted('png', 'svg+xml'), noted('png', 'png')]).toEqual([['media'], []])
})

test('all names together fit into the header', () => {
  expect(ADAPTATIONS.join(', ').length).toBeLessThan(512)
})
