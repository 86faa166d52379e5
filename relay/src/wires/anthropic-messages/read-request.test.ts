import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { descriptorOf } from '../../catalogue.ts'
import { isRequestProblem } from '../../errors/request-problem.ts'
import { encodeRequest } from '../openai-chat/encode-request.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { readCountRequest, readMessagesRequest } from './read-request.ts'

test('invalid JSON is refused', () => {
  for (const body of ['', '[]', '{', '"x"', '\u0000']) {
    expect(
      finish(readMessagesRequest(Buffer.from(body), { cipher: READABLE_CIPHER })),
    ).toHaveProperty('message')
    expect(finish(readCountRequest(Buffer.from(body), READABLE_CIPHER))).toHaveProperty('message')
  }
})

test("a reduced output limit replaces the client's, by the name the model requires", () => {
  const messages = [{ role: 'user', content: 'hi' }]
  const body = Buffer.from(JSON.stringify({ model: 'claude-x', max_tokens: 100, messages }))
  const request = finish(readMessagesRequest(body, { cipher: READABLE_CIPHER }))
  const descriptor = descriptorOf(1)
  if (descriptor === undefined || isRequestProblem(request)) throw new Error('it was refused')
  const limited = encodeRequest(request, { model: 'gpt-5', descriptor, outputLimit: 50 }).toString()
  expect(JSON.parse(limited)).toMatchObject({ max_completion_tokens: 50 })
})

test.each([
  [{ type: 'function', function: {} }, 'tools.0.name: '],
  [{ input_schema: { type: 'object' } }, 'tools.0.name: '],
  ['f', 'tools.0: '],
])('no other API gets a request without its tool %j', (tool, path) => {
  const messages = [{ role: 'user', content: 'hi' }]
  const json = { model: 'claude-x', max_tokens: 100, messages, tools: [tool] }
  const body = Buffer.from(JSON.stringify(json))
  const request = finish(readMessagesRequest(body, { cipher: READABLE_CIPHER }))
  const descriptor = descriptorOf(1)
  if (descriptor === undefined || isRequestProblem(request)) throw new Error('it was refused')
  expect(() => encodeRequest(request, { model: 'gpt-5', descriptor })).toThrow(path)
})
