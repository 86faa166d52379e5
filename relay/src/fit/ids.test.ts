import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ANTHROPIC_IDS, MISTRAL_IDS, wireRulesOf } from '../cards/alphabets.ts'
import { type Message, textBlocks } from '../form/request.ts'
import { CallIds, escapeId, unescapeId, withCallIds } from './ids.ts'

const OPENAI_IDS = { pattern: /^[\w-]+$/, lengthMax: 40 }

test.each(['toolu_01A', 'call_00_a', 'x-1'])('keeps %s', (id) => {
  expect(escapeId(id, ANTHROPIC_IDS)).toBe(id)
  expect(unescapeId(id)).toBe(id)
})

test('escapes foreign characters so that they can be restored', () => {
  expect(escapeId('functions.Read:0', ANTHROPIC_IDS)).toBe('tg_functions_2eRead_3a0')
  expect(unescapeId('tg_functions_2eRead_3a0')).toBe('functions.Read:0')
})

test('every id is accepted, and short ids can be restored', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), (id) => {
      const fitted = escapeId(id, OPENAI_IDS)
      expect(fitted).toMatch(/^[\w-]{1,40}$/)
      const isHashed = fitted.startsWith('call_') && fitted !== id
      if (!isHashed && !id.startsWith('tg_')) expect(unescapeId(fitted)).toBe(id)
    }),
  )
})

test('every id is hashed for Mistral, unless it has nine letters and digits', () => {
  for (const id of ['call_1', '1', 'functions.Read:0', '天气']) {
    expect(escapeId(id, MISTRAL_IDS)).toMatch(/^[A-Za-z0-9]{9}$/)
  }
  expect(escapeId('aB3dE6gH9', MISTRAL_IDS)).toBe('aB3dE6gH9')
})

test.each(['tg_a_zz', 'tg_abc', 'tg_a_ff', 'tg_'])('leaves %s, which was not escaped', (id) => {
  expect(unescapeId(id)).toBe(id)
})

const call = (...ids: string[]): Message => ({
  role: 'assistant',
  reasoning: '',
  blocks: ids.map((id) => ({ type: 'tool-call', id, name: 'f', input: '{}' })),
})
const result = (callId: string): Message => ({
  role: 'tool',
  callId,
  name: '',
  blocks: textBlocks('x'),
})
const fit = (messages: Message[], isUnique = true) =>
  withCallIds(messages, new CallIds(ANTHROPIC_IDS, { isUnique }))

test('changes calls and their results alike, and nothing else', () => {
  const messages = [call('a:0', 'b'), result('a:0'), result('b')]
  expect(fit(messages)).toEqual([call('tg_a_3a0', 'b'), result('tg_a_3a0'), result('b')])
  const fitting = [call('a', 'b'), result('b'), result('a')]
  expect(fit(fitting)).toBe(fitting)
})

test('separates calls of the same id, with their results', () => {
  const messages = [call('a'), result('a'), call('a', 'a'), result('a'), result('a')]
  const unique = [call('a'), result('a'), call('a_2', 'a_3'), result('a_2'), result('a_3')]
  expect(fit(messages)).toEqual(unique)
  expect(fit(messages.slice(0, 2))).toEqual(unique.slice(0, 2))
  expect(fit(messages, false)).toBe(messages)
})

test('the model decides about ids: Kimi sees its own', () => {
  expect(wireRulesOf({ dialect: 'openai', model: 'kimi-k3' }).ids).toBeNull()
  expect(wireRulesOf({ dialect: 'openai', model: 'gpt-5' }).ids).toEqual(OPENAI_IDS)
  const hosted = { dialect: 'openai', model: 'mistralai/Mistral-7B-Instruct-v0.3' } as const
  expect(wireRulesOf(hosted).ids).toBe(MISTRAL_IDS)
})
