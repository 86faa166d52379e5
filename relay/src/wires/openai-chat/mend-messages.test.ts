import { expect, test } from 'vitest'
import { parseJson } from '../../bytes/json-value.ts'
import { finish } from '../../bytes/steps.ts'
import { preparation } from '../../codecs.ts'
import { openai } from '../../providers/openai-compatible/descriptor.ts'
import { encodeRequest } from './encode-request.ts'
import { requestIn } from './testing/chat.ts'

const PAIRS = 2000
const MODEL = 'gpt-4.1'
const at = { model: MODEL, baseUrl: '', isTranslated: false }

const callOf = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'Read', arguments: '{"path":"a"}' } }],
})
const resultOf = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x'.repeat(600) })
const ids = Array.from({ length: PAIRS }, (_, index) => `call_${index}`)
const pairs = ids.flatMap((id) => [callOf(id), resultOf(id)])

function read(messages: readonly object[], others: object = {}) {
  const request = requestIn({ model: MODEL, messages, ...others })
  const { whole } = request
  if (whole === undefined) throw new Error('nothing to prepare')
  let reads = 0
  const json = () => {
    reads++
    return whole.get()
  }
  return { request: { ...request, json }, reads: () => reads }
}

const orphaned = [resultOf('orphan'), ...pairs]

test('a long broken history is parsed in steps before it is mended', () => {
  const { request, reads } = read(orphaned)
  const steps = preparation(request, openai, at) ?? expect.fail('nothing is prepared')
  expect(steps.next().done).toBe(false)
  finish(steps)
  expect(reads()).toBe(0)
  const body = encodeRequest(request, { model: MODEL, descriptor: openai })
  expect(parseJson(body.toString())).toMatchObject({ messages: { 0: { role: 'user' } } })
})

test('other edits that need the whole body have it parsed in steps', () => {
  const stream_options = { include_usage: true, other: 1 }
  const { request } = read(pairs, { stream: true, stream_options })
  expect(preparation(request, openai, at)).not.toBeNull()
})

test('a history that the vendor accepts needs no preparation', () => {
  expect(preparation(read(pairs).request, openai, at)).toBeNull()
})
