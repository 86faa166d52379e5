import { expect, test } from 'vitest'
import { isBrokenHistory } from './broken-history.ts'

const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const text = (words = 'Go on.') => ({ type: 'text', text: words })
const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} })
const result = (id: string, content: unknown = 'x') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})

const HI = { role: 'user', content: 'Hi.' }

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
  ['an empty last answer', [HI, { role: 'assistant', content: '' }]],
  ['the beginning of a long text of spaces', [HI, assistant(text('   ')), HI]],
])('%s is accepted', (_name, messages) => {
  expect(isBrokenHistory({ messages })).toBe(false)
})

test.each([
  ['a call without a result', [HI, assistant(use('a')), HI]],
  ['a call at the end', [HI, assistant(use('a'))]],
  ['a result a turn late', [HI, assistant(use('a')), HI, assistant(text()), user(result('a'))]],
  ['a result without a call', [HI, assistant(text()), user(result('a'))]],
  ['two results for a call', [HI, assistant(use('a')), user(result('a'), result('a'))]],
  ['a text before a result', [HI, assistant(use('a')), user(text(), result('a'))]],
  ['an empty text', [user(text(''), text())]],
  ['an empty text in a result', [HI, assistant(use('a')), user(result('a', [text('')]))]],
  ['an empty message', [{ role: 'user', content: [] }, HI]],
  ['a call of the user', [user(use('a')), assistant(text())]],
  [
    'a name that Claude refuses',
    [HI, assistant({ ...use('a'), name: 'mcp.read' }), user(result('a'))],
  ],
  ['an input that is no object', [HI, assistant({ ...use('a'), input: '{}' }), user(result('a'))]],
])('%s is refused', (_name, messages) => {
  expect(isBrokenHistory({ messages })).toBe(true)
})
