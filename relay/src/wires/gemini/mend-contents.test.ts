import { expect, test } from 'vitest'
import { ABORTED } from '../../fit/pairs.ts'
import { mendContents } from './mend-contents.ts'

const user = (...parts: object[]) => ({ role: 'user', parts })
const model = (...parts: object[]) => ({ role: 'model', parts })
const call = (name = 'read', more: object = {}) => ({
  functionCall: { name, args: {}, ...more },
  thoughtSignature: 'EpQB',
})
const response = (name = 'read', value: unknown = { output: 'x' }) => ({
  functionResponse: { name, response: value },
})
const aborted = (name = 'read') => response(name, { result: ABORTED })
const told = (name = 'read') => ({ text: `Result of ${name}:\n{"output":"x"}` })
const text = (words = 'Go on.') => ({ text: words })

const HI = user(text('Hi.'))

test.each([
  [
    'responses of parallel calls',
    [HI, model(call('a'), call('b')), user(response('b'), response('a'))],
  ],
  ['responses behind a text', [HI, model(call()), user(text(), response())]],
  ['a response with another name', [HI, model(call('a')), user(response('b'))]],
  ['an empty text', [HI, model(text('')), HI]],
  [
    'names in snake case',
    [
      HI,
      model({ function_call: { name: 'a' } }),
      { role: 'function', parts: [{ function_response: { name: 'a', response: {} } }] },
    ],
  ],
  ['code that Google ran', [HI, model({ executableCode: { code: '1' } }), HI]],
])('%s: left as they are', (_name, contents) => {
  expect(mendContents(contents)).toBe(contents)
})

test.each([
  [
    'a call without a response',
    [HI, model(call()), HI],
    [HI, model(call()), user(aborted(), text('Hi.'))],
  ],
  [
    'a call with an id',
    [HI, model(call('read', { id: 'c1' })), HI],
    [
      HI,
      model(call('read', { id: 'c1' })),
      user({ functionResponse: { ...aborted().functionResponse, id: 'c1' } }, text('Hi.')),
    ],
  ],
  [
    'a response without a call',
    [HI, model(text()), user(response(), text())],
    [HI, model(text()), user(told(), text())],
  ],
  [
    'two responses for a call',
    [HI, model(call()), user(response(), response())],
    [HI, model(call()), user(response(), told())],
  ],
  ['an answer without parts', [HI, { role: 'model' }, HI], [HI, HI]],
  ['an answer of nothing but a signature', [HI, model({ thoughtSignature: 'EpQB' }), HI], [HI, HI]],
  ['a file without an address', [user({ fileData: {} }, text())], [user(text())]],
  ['a question without data', [user({})], [user(text('Continue.'))]],
  [
    'a call without a name',
    [HI, model(call(''), text()), user(response())],
    [HI, model(text()), user(told())],
  ],
  [
    'arguments that are no object',
    [HI, model(call('read', { args: '[1' })), user(response())],
    [HI, model(call('read', { args: { arguments: '[1' } })), user(response())],
  ],
  [
    'a response that is no object',
    [HI, model(call()), user(response('read', 'lost'))],
    [HI, model(call()), user(response('read', { result: 'lost' }))],
  ],
  [
    'a response without its value',
    [HI, model({ function_call: { name: 'read' } }), user({ function_response: { name: 'read' } })],
    [HI, model({ function_call: { name: 'read' } }), user(response('read', {}))],
  ],
  [
    'a response without name and call',
    [HI, model(text()), user(response(''))],
    [HI, model(text()), user(told('a tool call'))],
  ],
])('%s: mended', (_name, given, mended) => {
  expect(mendContents(given)).toEqual(mended)
})

test('many responses without names are read at once', () => {
  const names = Array.from({ length: 60_000 }, (_name, at) => `f${at}`)
  const calls = model(...names.map((name) => call(name)))
  const mended = mendContents([HI, calls, user(...names.map(() => response('')))])
  expect(mended).toEqual([HI, calls, user(...names.map((name) => response(name)))])
})
