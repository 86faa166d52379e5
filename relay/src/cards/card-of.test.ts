import { expect, expectTypeOf, test } from 'vitest'
import type { CardOverride } from '@tollgate/contract/channel-settings'
import { parseJson } from '../bytes/json-value.ts'
import { anthropicCodec } from '../providers/anthropic/codec.ts'
import { geminiCodec } from '../providers/google-gemini/codec.ts'
import { callTo } from '../streams/testing/call-to.ts'
import { cardOf, cardsWith } from './card-of.ts'
import type { ModelCard } from './model-card.ts'
import { usesHiddenReasoning } from './model-facts.ts'

test('operators may state all that a card says about requests', () => {
  type Content = Omit<ModelCard['content'], 'userId'>
  type Stated = Omit<ModelCard, 'vendor' | 'isKnown' | 'facts' | 'content'> & { content: Content }
  type Whole = { [Section in keyof CardOverride]-?: Required<NonNullable<CardOverride[Section]>> }
  expectTypeOf<keyof Whole>().toEqualTypeOf<keyof Stated>()
  expectTypeOf<Whole>().toExtend<Stated>()
  expectTypeOf<keyof Whole['content']>().toEqualTypeOf<keyof Content>()
  expectTypeOf<keyof Whole['limits']>().toEqualTypeOf<keyof Stated['limits']>()
  expectTypeOf<keyof Whole['reasoning']>().toEqualTypeOf<keyof Stated['reasoning']>()
  expectTypeOf<keyof Whole['reasoningBack']>().toEqualTypeOf<keyof Stated['reasoningBack']>()
  expectTypeOf<keyof Whole['sampling']>().toEqualTypeOf<keyof Stated['sampling']>()
  expectTypeOf<keyof Whole['tools']>().toEqualTypeOf<keyof Stated['tools']>()
})

const stops = (count: number) => ({ sampling: { stops: count } })

test('an override changes what it names and nothing else', () => {
  const known = cardOf('openai', 'gpt-5')
  const card = cardsWith({ 'gpt-5': { sampling: { stops: 1 } } })('openai', 'gpt-5')
  expect(card).toEqual({ ...known, sampling: { ...known.sampling, stops: 1 } })
  const other = cardsWith({ 'gpt-5': stops(1) })('openai', 'gpt-5-mini')
  expect(other).toBe(cardOf('openai', 'gpt-5-mini'))
})

test.each([
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['gpt-5*', 'gpt-5', true],
  ['*5', 'gpt-5', true],
  ['g*t*5', 'gpt-5', true],
  ['g*5*t', 'gpt-5', false],
  ['gpt-5*5', 'gpt-5', false],
  ['*a*a*', 'a', false],
  ['*', '', true],
  ['org/*', 'org/a/b', true],
  ['.*', 'gpt-5', false],
])('the pattern %s and the model %s: %s', (pattern, model, isMatch) => {
  const { sampling } = cardsWith({ [pattern]: stops(7) })('unknown', model)
  expect(sampling.stops === 7).toBe(isMatch)
})

test('a name wins over patterns, and the longer pattern over the shorter', () => {
  const cards = cardsWith({ 'gpt-5': stops(3), '*': stops(1), 'gpt*': stops(2) })
  const names = ['gpt-5', 'gpt-4', 'o3']
  expect(names.map((name) => cards('unknown', name).sampling.stops)).toEqual([3, 2, 1])
})

test('an override wins over what the gateway states for one request', () => {
  const cards = cardsWith({ '*': { reasoning: { inChat: 'no_chat' } } })
  expect(cards('openai', 'm', { reasoning: { inChat: 'all' } }).reasoning.inChat).toBe('no_chat')
})

test('a card is found again without work', () => {
  const part = { reasoning: { inChat: 'all' } } as const
  for (const cards of [cardOf, cardsWith({ '*': stops(1) })]) {
    expect(cards('openai', 'gpt-5')).toBe(cards('openai', 'gpt-5'))
    expect(cards('openai', 'gpt-5', part)).toBe(cards('openai', 'gpt-5', part))
  }
})

test('hidden reasoning is what the operator says', () => {
  const hides = (isHidden: boolean) => cardsWith({ '*': { reasoning: { isHidden } } })
  expect(usesHiddenReasoning(['m'], hides(true))).toBe(true)
  expect(usesHiddenReasoning(['o3'], hides(false))).toBe(false)
})

/** What a codec sends for a model whose card is overridden. */
const sentBy =
  ({ encode }: Pick<typeof anthropicCodec, 'encode'>, model: string) =>
  (override: Parameters<typeof cardsWith>[0]) => {
    const messages = [{ role: 'user', content: 'hi' }]
    const call = callTo({ key: 'k', model }, { request: { messages, reasoning_effort: 'high' } })
    const channel = { ...call.channel, cardOf: cardsWith(override) }
    return parseJson(encode({ ...call, channel }).body.toString())
  }

test('a codec asks the card of its channel: Anthropic, for a model of another maker', () => {
  const sent = sentBy(anthropicCodec, 'glm-5')
  expect(sent({})).toMatchObject({ thinking: { type: 'enabled' } })
  expect(sent({ 'glm-*': { reasoning: { how: 'none' } } })).not.toHaveProperty('thinking')
  expect(sent({ 'glm-*': { limits: { output: 9000 } } })).toMatchObject({ max_tokens: 9000 })
})

test('a codec asks the card of its channel: Gemini', () => {
  const sent = sentBy(geminiCodec, 'gemini-2.5-pro')
  const config = (thinkingConfig: object) => ({ generationConfig: { thinkingConfig } })
  expect(sent({})).toMatchObject(config({ thinkingBudget: 24_576 }))
  expect(sent({ '*': { reasoning: { how: 'level', efforts: ['low', 'medium'] } } })).toMatchObject(
    config({ thinkingLevel: 'medium' }),
  )
})
