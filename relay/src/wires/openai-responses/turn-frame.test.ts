import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { countSteps } from '../../bytes/testing/count-steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { readTurnFrame } from './turn-frame.ts'

const readAny = (frame: string) => finish(readTurnFrame(Buffer.from(frame)))
const read = (frame: string) => accepted(readAny(frame))

test.each([
  ['', ''],
  ['null', ''],
  ['[]', ''],
  ['[ ]', ''],
  [' [ {"a":1} , "b" ] ', '{"a":1} , "b"'],
  ['"hi"', '{"role":"user","content":"hi"}'],
  ['{"type":"message"}', '{"type":"message"}'],
  ['5', '5'],
])('the items of the input %j', (input, items) => {
  const frame = input === '' ? '{}' : `{"a":[1],"input":${input}}`
  expect(read(frame).items).toBe(items)
})

test('the request has the items, its own bytes, and nothing of the frame', () => {
  const frame = `{"type":"response.create","stream_id":"a","generate":true,"background":true,
    "previous_response_id":"resp_1","model":"m","seed":12345678901234567890,"stream":false,
    "input":["old"]}`
  const { head, bodyWith } = read(frame)
  expect(head).toEqual({
    type: 'response.create',
    stream_id: 'a',
    generate: true,
    background: true,
    stream: false,
    previous_response_id: 'resp_1',
    model: 'm',
  })
  const own = '"model":"m","seed":12345678901234567890,"stream":true,\n    "input":["new"]'
  expect(bodyWith('"new"', { continues: false }).toString()).toBe(`{${own}}`)
  const continued = `{"previous_response_id":"resp_1",${own}}`
  expect(bodyWith('"new"', { continues: true }).toString()).toBe(continued)
})

test.each([
  ['no object', '[1]', null],
  ['an input twice', '{"input":[],"Input":[]}', null],
  ['too many values', `{"input":[${'1,'.repeat(400_000)}1]}`, 'request_too_large'],
  ['a nested bomb', `{"input":${'['.repeat(1000)}`, null],
  ['a model of any length', `{"model":"${'x'.repeat(70_000)}"}`, null],
])('%s is refused', (_name, frame, code) => {
  expect(readAny(frame)).toMatchObject({ type: 'invalid_request_error', code })
})

const NOT_JSON = 'The request body is not valid JSON.'

test.each([
  '{"input":"hi","generate":False}',
  '{"input":"hi","previous_response_id":resp_1}',
  '{"input":"hi","stream_id":lane}',
  '{"input":"hi","stream":yes}',
  '{"input":"hi","background":[}}',
  '{"input":["hi"}}',
  '{"input":[{]},"generate":false}',
  '{"input":[],"generate":false,"temperature":none}',
])('%s is no JSON, and not read as if it were', (frame) => {
  expect(readAny(frame)).toMatchObject({ message: NOT_JSON })
})

test('a large frame is read in steps', () => {
  const frame = Buffer.from(`{"input":[${'"0123456789abcdef",'.repeat(190_000)}""]}`)
  expect(countSteps(readTurnFrame(frame)).count).toBeGreaterThan(1)
})
