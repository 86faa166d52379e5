import { expect, test } from 'vitest'
import { isBrokenHistory } from './broken-history.ts'

const HI = { role: 'user', content: [{ type: 'input_text', text: 'Hi.' }] }
const SAID = { role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'x' })
const customOutput = (id: string) => ({ ...output(id), type: 'custom_tool_call_output' })

test.each([
  ['results of parallel calls', [HI, call('a'), call('b'), output('b'), output('a'), SAID]],
  ['a result behind other items', [HI, call('a'), SAID, HI, output('a')]],
  ['ids of OpenAI', [HI, { ...call('a'), id: 'fc_1' }, output('a'), { ...SAID, id: 'x_1' }]],
  ['hosted calls', [HI, { type: 'web_search_call', id: 'ws_1' }, SAID]],
])('%s: accepted', (_name, items) => {
  expect(isBrokenHistory(items)).toBe(false)
})

test.each([
  ['a call without a result', [HI, call('a'), HI]],
  ['a result without a call', [HI, output('a')]],
  ['two results for a call', [HI, call('a'), output('a'), output('a')]],
  ['a result of another kind', [HI, call('a'), customOutput('a')]],
  ['two calls of one id', [HI, call('a'), output('a'), call('a'), output('a')]],
  ['an id that another API gave', [HI, { ...call('a'), id: 'call_1' }, output('a')]],
  ['a call without an id', [HI, call(''), output('')]],
  ['a part of the other role', [{ role: 'user', content: SAID.content }]],
])('%s: refused', (_name, items) => {
  expect(isBrokenHistory(items)).toBe(true)
})
