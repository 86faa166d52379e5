import { expect, test } from 'vitest'
import { geminiCodec } from '../providers/google-gemini/codec.ts'
import { callTo } from '../streams/testing/call-to.ts'
import { decodeWhole } from '../streams/testing/decode-whole.ts'

const MODEL = { key: 'AIza-x', model: 'gemini-3.5-flash' }

test('signatures and ids return with their calls', () => {
  const args = { tz: 'UTC' }
  const parts = [
    { text: 'I look.', thoughtSignature: 'sig-1' },
    { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 'sig-2' },
    { functionCall: { id: 'c1', name: 'get_time', args }, thoughtSignature: 'sig-3' },
    { functionCall: { id: 'c2', name: 'get_date', args } },
  ]
  const answer = { candidates: [{ content: { parts }, finishReason: 'STOP' }] }
  const answered = Buffer.from(JSON.stringify(answer))
  const decoded = decodeWhole(geminiCodec.answers, answered, callTo(MODEL))
  const { message } = JSON.parse(decoded.toString()).choices[0]
  const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
  const messages = [{ role: 'user', content: 'What time is it?' }, message, result]
  const { body } = geminiCodec.encode(callTo(MODEL, { request: { messages } }))
  const [, said, returned] = JSON.parse(body.toString()).contents
  expect(said.parts).toEqual(parts)
  expect(returned.parts).toEqual([
    { functionResponse: { id: 'c1', name: 'get_time', response: { result: 'x' } } },
  ])
})

test('references cannot expand a schema to any size', () => {
  const items = Array.from({ length: 200 }, () => ({ $ref: '#/$defs/many' }))
  const parameters = { $ref: '#/$defs/many', $defs: { many: { anyOf: items } } }
  const tools = [{ type: 'function', function: { name: 'x', parameters } }]
  const call = callTo({ key: 'AIza-x', model: 'gemini-2.0-flash' })
  const request = { ...call.request, tools }
  expect(() => geminiCodec.encode({ ...call, request })).toThrow('The schema is too large')
})
