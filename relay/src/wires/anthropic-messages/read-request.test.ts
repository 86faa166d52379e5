import { expect, test } from 'vitest'
import { parseJson } from '../../bytes/json-value.ts'
import { finish } from '../../bytes/steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { openai } from '../../providers/openai-compatible/descriptor.ts'
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

/** What OpenAI gets of the request. */
function translated(more: object, target: { model: string; outputLimit?: number }) {
  const json = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
  const body = Buffer.from(JSON.stringify({ ...json, ...more }))
  const request = accepted(finish(readMessagesRequest(body, { cipher: READABLE_CIPHER })))
  return parseJson(encodeRequest(request, { descriptor: openai, ...target }).toString())
}

test("a reduced output limit replaces the client's, by the name the model requires", () => {
  const sent = translated({}, { model: 'gpt-5', outputLimit: 50 })
  expect(sent).toMatchObject({ max_completion_tokens: 50 })
})

test.each([
  [{ type: 'function', function: {} }, 'tools.0.name: '],
  [{ input_schema: { type: 'object' } }, 'tools.0.name: '],
  ['f', 'tools.0: '],
])('no other API gets a request without its tool %j', (tool, path) => {
  expect(() => translated({ tools: [tool] }, { model: 'gpt-5' })).toThrow(path)
})
