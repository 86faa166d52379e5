import { expect, test } from 'vitest'
import { formerName } from '../../fit/names.ts'
import { ABORTED } from '../../fit/pairs.ts'
import { mendMessages } from './mend-messages.ts'

const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const text = (words = 'Go on.') => ({ type: 'text', text: words })
const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {}, caller: 'direct' })
const result = (id: string, content: unknown = 'x') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const told = (id: string, words = 'x') => text(`Result of ${id}:\n${words}`)

const HI = { role: 'user', content: 'Hi.' }
const IMAGE = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
const FOUND = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }

test.each([
  ['results in one message', [HI, assistant(use('a'), use('b')), user(result('b'), result('a'))]],
  [
    'results in two messages',
    [HI, assistant(use('a'), use('b')), user(result('a')), user(result('b'))],
  ],
  [
    'calls in two messages',
    [HI, assistant(use('a')), assistant(use('b')), user(result('a'), result('b'))],
  ],
  ['a text behind the results', [HI, assistant(text(), use('a')), user(result('a'), text())]],
  ['an empty result', [HI, assistant(use('a')), user(result('a', ''))]],
  ['tools that Anthropic runs', [HI, assistant(SEARCH, FOUND, text()), HI]],
  ['a message without content', [{ role: 'user' }]],
  ['a text without its member', [user({ type: 'text' })]],
])('%s is left as it is', (_name, messages) => {
  expect(mendMessages(messages)).toBe(messages)
})

const CALLED = [HI, assistant(text(), use('a'))]

test.each([
  [
    'a call without a result',
    [...CALLED, HI],
    [...CALLED, user(result('a', ABORTED), text('Hi.'))],
  ],
  ['a call at the end', CALLED, [...CALLED, user(result('a', ABORTED))]],
  [
    'a result a turn late',
    [...CALLED, HI, assistant(text()), user(result('a'))],
    [...CALLED, user(result('a', ABORTED), text('Hi.')), assistant(text()), user(told('a'))],
  ],
  [
    'a result without a call',
    [HI, assistant(text()), user(result('a', [text('One.'), IMAGE, text('Two.')]), text())],
    [HI, assistant(text()), user(told('a', 'One.\n\n\n\nTwo.'), IMAGE, text())],
  ],
  [
    'two results for a call',
    [...CALLED, user(result('a'), result('a', 'y'))],
    [...CALLED, user(result('a'), told('a', 'y'))],
  ],
  [
    'a text before a result',
    [...CALLED, user(text(), result('a'))],
    [...CALLED, user(result('a'), text())],
  ],
  ['an empty text', [user(text(''), text())], [user(text())]],
  [
    'an empty text in a result',
    [...CALLED, user(result('a', [text(''), IMAGE]))],
    [...CALLED, user(result('a', [IMAGE]))],
  ],
  [
    'an empty message behind results',
    [...CALLED, user(result('a')), user()],
    [...CALLED, user(result('a'))],
  ],
  [
    'an empty question',
    [HI, assistant(text()), user(text(''))],
    [HI, assistant(text()), user(text('Continue.'))],
  ],
  ['an empty answer', [HI, assistant(text('')), HI], [HI, HI]],
  ['an answer without content', [HI, { role: 'assistant' }, HI], [HI, HI]],
  ['an empty last answer', [HI, { role: 'assistant', content: '' }], [HI]],
  [
    'a call of the user',
    [user(use('a'), text()), assistant(text())],
    [user(text()), assistant(text())],
  ],
  [
    'a call without a name',
    [HI, assistant({ ...use('a'), name: '' }, text()), user(result('a'))],
    [HI, assistant(text()), user(told('a'))],
  ],
  [
    'a name that Claude refuses',
    [HI, assistant({ ...use('a'), name: 'mcp.read' }), user(result('a'))],
    [
      HI,
      assistant({ ...use('a'), name: formerName('mcp.read', { pattern: /^\w+$/, lengthMax: 64 }) }),
      user(result('a')),
    ],
  ],
  [
    'an input that is no object',
    [HI, assistant({ ...use('a'), input: '{"path":1}' }), user(result('a'))],
    [HI, assistant({ ...use('a'), input: { path: 1 } }), user(result('a'))],
  ],
])('%s is mended', (_name, given, mended) => {
  expect(mendMessages(given)).toEqual(mended)
})

test('ids that are used again belong to the calls of their turn', () => {
  const turns = [...CALLED, HI, assistant(use('a')), user(result('a', 'second'))]
  const aborted = user(result('a', ABORTED), text('Hi.'))
  expect(mendMessages(turns)).toEqual(turns.with(2, aborted))
})

/** A search through the results for each call would take minutes. */
test('a turn of many calls, answered in another order, is read at once', () => {
  const ids = Array.from({ length: 60_000 }, (_id, at) => `call_${at}`)
  const calls = assistant(...ids.map(use))
  const results = ids.toReversed().map((id) => result(id))
  const messages = [HI, calls, user(...results)]
  expect(mendMessages(messages)).toBe(messages)
  const without = [HI, calls, user(...results.slice(1))]
  const turn = user(...results.slice(1), result('call_59999', ABORTED))
  expect(mendMessages(without)).toEqual([HI, calls, turn])
})
