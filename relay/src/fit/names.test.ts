import { expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { wireRulesOf } from '../cards/alphabets.ts'
import { AnswerEvents } from '../streams/answer-events.ts'
import { openaiFormDecoder } from '../wires/openai-chat/openai-form.ts'
import { NameRestorer, toolRenames, withToolNames } from './names.ts'
import { formIn } from './testing/chats.ts'

const { names: OPENAI } = wireRulesOf({ dialect: 'openai', model: 'gpt-5' })
const { names: GEMINI } = wireRulesOf({ dialect: 'gemini', model: 'gemini-2.5-flash' })
const { names: KIMI } = wireRulesOf({ dialect: 'openai', model: 'kimi-k3' })

const LONG = 'mcp__binary-analysis-server__list_cross_references_of_imported_symbols_x'
const tool = (name: string) => ({ type: 'function', function: { name } })
const called = (name: string) => ({
  role: 'assistant',
  tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: '{}' } }],
})
const renames = (names: string[], alphabet = OPENAI, history: string[] = []) =>
  toolRenames(formIn({ tools: names.map(tool), messages: history.map(called) }), alphabet)

test.each([
  ['read_file', OPENAI, undefined],
  ['github.create_issue', OPENAI, 'github_create_issue'],
  ['github.create_issue', GEMINI, undefined],
  ['21st_component_builder', OPENAI, undefined],
  ['21st_component_builder', GEMINI, '_21st_component_builder'],
  ['21st_component_builder', KIMI, '_21st_component_builder'],
  ['搜索', OPENAI, '__'],
])('%s', (name, alphabet, expected) => {
  expect(renames([name], alphabet).get(name)).toBe(expected)
})

test('shortens long names', () => {
  const short = renames([LONG]).get(LONG) ?? ''
  expect(short).toMatch(/^mcp__binary-analysis-server__[\w-]{24}_[\da-f]{10}$/)
  expect(short).toHaveLength(64)
  const digits = `9${'x'.repeat(63)}`
  expect(renames([digits], GEMINI).get(digits)).toMatch(/^_9x{51}_[\da-f]{10}$/)
})

test('gives different names to different tools, in whatever order they are declared', () => {
  const names = ['a.b', 'a:b', 'a_b', 'c.d', LONG, `${LONG}2`]
  const some = renames(names)
  const other = renames(names.toReversed())
  expect(Object.fromEntries(some)).toEqual(Object.fromEntries(other))
  const sent = names.map((name) => some.get(name) ?? name)
  expect(new Set(sent).size).toBe(names.length)
  expect(sent).toEqual(expect.arrayContaining(['a_b', 'c_d']))
})

test('a name in the history does not change the names of tools', () => {
  const alone = renames(['a.b']).get('a.b')
  const both = renames(['a.b'], OPENAI, ['a:b', 'a.b'])
  expect(both.get('a.b')).toBe(alone)
  expect(both.get('a:b')).toMatch(/^a_b_[\da-f]{10}$/)
})

test('renames tools, choices, calls and results', () => {
  const request = (name: string) =>
    formIn({
      tools: [tool(name), tool('other')],
      tool_choice: { type: 'function', function: { name } },
      messages: [called(name), { role: 'tool', tool_call_id: 'a', name, content: '' }],
    })
  const given = request('a.b')
  expect(withToolNames(given, toolRenames(given, OPENAI))).toEqual(request('a_b'))
  const fitting = request('a')
  expect(withToolNames(fitting, toolRenames(fitting, OPENAI))).toBe(fitting)
  const allowed = (name: string) => {
    const allowed_tools = { mode: 'auto', tools: [tool(name)] }
    return formIn({ tools: [tool(name)], tool_choice: { type: 'allowed_tools', allowed_tools } })
  }
  const some = allowed('a.b')
  expect(withToolNames(some, toolRenames(some, OPENAI))).toEqual(allowed('a_b'))
})

test('restores names in answers and streams, and leaves other bytes', () => {
  const restorer = new NameRestorer(renames(['a.b']))
  const answer = (name: string) =>
    Buffer.from(JSON.stringify({ choices: [{ message: called(name) }] }))
  expect(finish(restorer.answer(answer('a_b')))).toEqual(answer('a.b'))
  const typed = (name: string) => {
    const head = { id: 'a', created: 1, model: 'm' }
    const said = new AnswerEvents(head)
    const items = [said.text('a_b'), said.toolCall(0, { id: 'c', name, input: '{}' })]
    return { head, choices: [{ items, finishReason: 'tool_calls' }], usage: null }
  }
  expect(finish(restorer.answer(typed('a_b')))).toEqual(typed('a.b'))
  const other = answer('x')
  expect(finish(restorer.answer(other))).toBe(other)
  const failure = Buffer.from('{ "error": {} }')
  expect(finish(restorer.answer(failure))).toBe(failure)
  const event = (name: string) =>
    `data: ${JSON.stringify({ choices: [{ delta: called(name) }] })}\n\n`
  const decoder = restorer.decoder(openaiFormDecoder())
  const text = `: ping\n\n${event('a_b')}data: {"choices": [{"delta":{"content":"name"}}]}\n\n${event('x')}data: [DONE]\n\n`
  if (decoder.form !== 'chunks') throw new Error('chunks became events')
  const bytes = [...text].flatMap((character) => decoder.push(Buffer.from(character)))
  expect(Buffer.concat([...bytes, ...decoder.end()]).toString()).toBe(
    text.replace(event('a_b'), event('a.b')),
  )
  const events = new AnswerEvents({ id: 'a', created: 1, model: 'm' })
  const said = [events.text('a_b'), events.toolCall(0, { id: 'c', name: 'a_b', input: '' })]
  const restoring = restorer.decoder({ form: 'events', push: () => said, end: () => said })
  const [first, second] = said
  for (const found of [restoring.push(Buffer.alloc(0)), restoring.end()]) {
    expect(found).toEqual([first, { ...second, name: 'a.b' }])
  }
})
