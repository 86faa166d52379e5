import { expect, test } from 'vitest'
import {
  anthropicDialect,
  finish,
  isRequestProblem,
  openaiDialect,
  type RelayRequest,
} from '@tollgate/relay'
import { deriveSecrets } from '../../secrets.ts'
import { sessionKeyOf } from './session-key.ts'

const { contentCipherFor } = deriveSecrets('k')

type Json = Record<string, unknown>

function read(json: Json): RelayRequest {
  const body = Buffer.from(JSON.stringify({ model: 'gpt-4o', ...json }))
  const request = finish(openaiDialect.readRequest('chat', body, {}))
  if (isRequestProblem(request)) throw new Error(request.message)
  return request
}

const hi = [{ role: 'user', content: 'hi' }]
const keyOf = (headers: Record<string, string>, json: Json = { messages: hi }, token = 1) =>
  sessionKeyOf(token, headers, read(json))

test.each([
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-session-id',
  'x-opencode-session',
  'x-goose-session-id',
  'x-openwebui-chat-id',
  'x-litellm-session-id',
])('%s names a session of its key and model', (name) => {
  const key = keyOf({ [name]: 's1' })
  expect(key).not.toBeNull()
  expect(keyOf({ [name]: 's1' }, { messages: [{ role: 'user', content: 'more' }] })).toBe(key)
  expect(keyOf({ [name]: 's2' })).not.toBe(key)
  expect(keyOf({ [name]: 's1' }, { messages: hi }, 2)).not.toBe(key)
  expect(keyOf({ [name]: 's1' }, { model: 'gpt-4o-mini', messages: hi })).not.toBe(key)
})

test.each([{ prompt_cache_key: 's1' }, { session_id: 's1' }, { metadata: { session_id: 's1' } }])(
  'so does the member in %o',
  (member) => {
    expect(keyOf({}, { messages: hi, ...member })).toBe(keyOf({ 'session-id': 's1' }))
  },
)

test('a header comes before a member, and the customer is no session', () => {
  const named = { messages: hi, prompt_cache_key: 's2' }
  expect(keyOf({ 'session-id': 's1' }, named)).toBe(keyOf({ 'session-id': 's1' }))
  expect(keyOf({}, { messages: hi, user: 's1' })).toBeNull()
})

test.each(['', 'x'.repeat(257)])('an id that is empty or too long is ignored', (id) => {
  expect(keyOf({ 'session-id': id })).toBeNull()
})

const LONG = 'You are a careful assistant. '.repeat(2000)
const system = { role: 'system', content: LONG }
const task = { role: 'user', content: 'Read the file.' }
const answer = { role: 'assistant', content: 'It says hello.' }

test('without an id the first messages name the session, as it grows', () => {
  const first = keyOf({}, { messages: [system, task] })
  expect(first).not.toBeNull()
  const more = { role: 'user', content: 'word '.repeat(5000) }
  expect(keyOf({}, { messages: [system, task, answer, more], max_tokens: 5 })).toBe(first)
  expect(keyOf({}, { messages: [system, { role: 'user', content: 'Other.' }] })).not.toBe(first)
  expect(keyOf({}, { messages: [{ ...system, content: `Not so. ${LONG}` }, task] })).not.toBe(first)
})

test('a prompt that no provider caches has no session', () => {
  expect(keyOf({}, { messages: hi })).toBeNull()
})

/** Alike for 40 kB, and of one length. */
const alike = (change: string, at: number) =>
  `${'You are a careful assistant. '.repeat(1400)}`
    .split('')
    .toSpliced(at, change.length, ...change)
    .join('')

test.each([40_000, 16_300])('sessions differ by a text at place %d', (at) => {
  const keys = ['Fix the parser.', 'Fix the writer.'].map((words) =>
    keyOf({}, { messages: [{ role: 'system', content: alike(words, at) }, task] }),
  )
  expect(new Set(keys).size).toBe(2)
  const tasks = ['Fix the parser.', 'Fix the writer.'].map((words) =>
    keyOf({}, { messages: [system, { role: 'user', content: alike(words, at) }] }),
  )
  expect(new Set(tasks).size).toBe(2)
})

const messagesOf = (json: Json) => {
  const body = Buffer.from(JSON.stringify({ model: 'claude-sonnet-4-6', max_tokens: 9, ...json }))
  const request = finish(anthropicDialect(contentCipherFor).readRequest('chat', body, {}))
  if (isRequestProblem(request)) throw new Error(request.message)
  return sessionKeyOf(1, {}, request)
}

test('so do sessions of Messages, whose system prompt stands apart, as they grow', () => {
  const first = { system: LONG, messages: [{ role: 'user', content: alike('One.', 40_000) }] }
  const key = messagesOf(first)
  const grown = [...first.messages, answer, { role: 'user', content: alike('Two.', 40_000) }]
  expect(messagesOf({ ...first, messages: grown })).toBe(key)
  const other = [{ role: 'user', content: alike('Two.', 40_000) }]
  expect(messagesOf({ ...first, messages: other })).not.toBe(key)
})

const SESSION = '01234567-89ab-4cde-8f01-23456789abcd'

test.each([
  `user_${'0a'.repeat(32)}_account__session_${SESSION}`,
  JSON.stringify({ device_id: '0a', account_uuid: '', session_id: SESSION }),
])('the session in the user id of Claude Code: %s', (user_id) => {
  const hello = { messages: hi, metadata: { user_id } }
  const named = messagesOf(hello)
  expect(named).not.toBeNull()
  expect(messagesOf({ ...hello, messages: [task] })).toBe(named)
  const other = user_id.replace('0123', '9876')
  expect(messagesOf({ ...hello, metadata: { user_id: other } })).not.toBe(named)
  expect(messagesOf({ ...hello, metadata: { user_id: 'user_1' } })).toBeNull()
})
