import { expect, test } from 'vitest'
import { formerName } from '../../fit/names.ts'
import { ABORTED } from '../../fit/pairs.ts'
import { mendInput } from './mend-input.ts'

const IMAGE = { type: 'input_image', image_url: 'data:,' }
const asked = (text: string, ...more: object[]) => ({
  role: 'user',
  content: [{ type: 'input_text', text }, ...more],
})
const answered = (...content: object[]) => ({ role: 'assistant', content })
const HI = asked('Hi.')
const SAID = answered({ type: 'output_text', text: 'Done.', annotations: [] })
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' })
const output = (id: string, text = 'x') => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
})
const customOutput = (id: string) => ({ ...output(id), type: 'custom_tool_call_output' })
const told = (id: string, text = 'x', ...more: object[]) =>
  asked(`Result of ${id}:\n${text}`, ...more)

test.each([
  ['results of parallel calls', [HI, call('a'), call('b'), output('b'), output('a'), SAID]],
  ['a result behind other items', [HI, call('a'), SAID, HI, output('a')]],
  ['ids of OpenAI', [HI, { ...call('a'), id: 'fc_1' }, output('a'), { ...SAID, id: 'x_1' }]],
  ['hosted calls', [HI, { type: 'web_search_call', id: 'ws_1' }, SAID]],
  ['what is no item', [HI, null, 'text']],
])('%s: left as they are', (_name, items) => {
  expect(mendInput(items, true)).toBe(items)
})

test('a text is left as it is', () => {
  expect(mendInput('Hi.', true)).toBe('Hi.')
})

test.each([
  ['a call without a result', [HI, call('a'), HI], [HI, call('a'), output('a', ABORTED), HI]],
  ['a result without a call', [HI, output('a')], [HI, told('a')]],
  [
    'a result with an image without a call',
    [HI, { ...output('a'), output: [{ type: 'input_text', text: 'One.' }, IMAGE] }],
    [HI, told('a', 'One.\n', IMAGE)],
  ],
  [
    'two results for a call',
    [HI, call('a'), output('a'), output('a', 'y')],
    [HI, call('a'), output('a'), told('a', 'y')],
  ],
  ['a result of another kind', [HI, call('a'), customOutput('a')], [HI, call('a'), output('a')]],
  [
    'two calls of one id',
    [HI, call('a'), output('a'), call('a'), output('a', 'y')],
    [HI, call('a'), output('a'), call('a_2'), output('a_2', 'y')],
  ],
  [
    'an interrupted call whose id is used again',
    [HI, call('a'), HI, call('a'), output('a', 'y')],
    [HI, call('a'), output('a', ABORTED), HI, call('a_2'), output('a_2', 'y')],
  ],
  [
    'an id that another API gave',
    [HI, { ...call('a'), id: 'call_1' }, output('a')],
    [HI, call('a'), output('a')],
  ],
  ['a call without an id', [HI, call(''), output('')], [HI, call('call_1'), output('call_1')]],
  ['a call without a name', [HI, { ...call('a'), name: '' }, output('a')], [HI, told('a')]],
  [
    'a name that OpenAI refuses',
    [HI, { ...call('a'), name: 'mcp.read' }, output('a')],
    [
      HI,
      { ...call('a'), name: formerName('mcp.read', { pattern: /^\w+$/, lengthMax: 64 }) },
      output('a'),
    ],
  ],
  [
    'a text of the model in a message of the user',
    [{ role: 'user', content: SAID.content }],
    [asked('Done.')],
  ],
  [
    'a text of the user in a message of the model',
    [answered(...HI.content, IMAGE), HI],
    [answered({ type: 'output_text', text: 'Hi.' }), HI],
  ],
  ['an image of the model', [HI, answered(IMAGE), HI], [HI, HI]],
])('%s: mended', (_name, given, mended) => {
  expect(mendInput(given, true)).toEqual(mended)
})

test('other vendors keep their ids, and get no member that is null', () => {
  const reasoning = { type: 'reasoning', id: 'r-1', summary: [], encrypted_content: 'x' }
  const given = [HI, { ...reasoning, content: null }, { ...call('a'), id: 'x_1' }, output('a')]
  const sent = [HI, reasoning, { ...call('a'), id: 'x_1' }, output('a')]
  expect(mendInput(given, false)).toEqual(sent)
  expect(mendInput(sent, false)).toBe(sent)
  expect(mendInput([HI, call('a')], false)).toEqual([HI, call('a'), output('a', ABORTED)])
})

test('what one agent tells another is a message of the user, except at OpenAI', () => {
  const content = [
    { type: 'input_text', text: 'NEW_TASK' },
    { type: 'encrypted_content', encrypted_content: 'Look.' },
    { type: 'encrypted_content', encrypted_content: 'gAAAAABx' },
  ]
  const items = [HI, { type: 'agent_message', author: '/root', content }]
  expect(mendInput(items, true)).toBe(items)
  expect(mendInput(items, false)).toEqual([
    HI,
    { role: 'user', content: 'NEW_TASK\nLook.\n[A part that this model cannot read]' },
  ])
})
