import { expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { anthropicDialect } from './anthropic-messages/dialect.ts'
import { withCost, withCostAtEnd } from './cost-member.ts'
import { geminiDialect } from './gemini/dialect.ts'
import { openaiDialect } from './openai-chat/dialect.ts'
import { createResponsesDialect } from './openai-responses/dialect.ts'
import { cipherFor } from './openai-responses/testing/readable-cipher.ts'

const dialects = {
  openai: openaiDialect,
  anthropic: anthropicDialect(cipherFor),
  gemini: geminiDialect(null, cipherFor),
  responses: createResponsesDialect({ cipherFor, now: () => 0 }),
}
type Name = keyof typeof dialects

test.each<[Name, string, string]>([
  ['openai', '{"id": 1, "usage": { "a":3 } }', '{"id": 1, "usage": { "a":3,"cost":0.25 } }'],
  ['openai', '{"usage":{"cost":9,"a":{"cost":1}}}', '{"usage":{"cost":0.25,"a":{"cost":1}}}'],
  ['openai', '{"usage":{}}', '{"usage":{"cost":0.25}}'],
  ['openai', '{"usage":null}', '{"usage":null}'],
  ['openai', '{"choices":[]}', '{"choices":[]}'],
  ['openai', 'no JSON', 'no JSON'],
  ['anthropic', '{"usage":{"input_tokens":1}}', '{"usage":{"input_tokens":1,"cost":0.25}}'],
  ['responses', '{"usage":{"a":1}}', '{"usage":{"a":1,"cost":0.25}}'],
  ['gemini', '{"usageMetadata":{"a":1}}', '{"usageMetadata":{"a":1,"cost":0.25}}'],
])('%s: the cost is in the usage of an answer, and all else stays: %s', (name, given, expected) => {
  const { answer: path } = dialects[name].usagePaths
  expect(finish(withCost(Buffer.from(given), path, 0.25)).toString()).toBe(expected)
})

/** With the cost, which the provider has not sent. */
test.each<[Name, string]>([
  ['openai', 'data: {"choices":[],"usage":{"a":1,"cost":0.25}}\n\ndata: [DONE]\n\n'],
  ['openai', 'data: [DONE]\n\n'],
  [
    'anthropic',
    'event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":2,"cost":0.25}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  [
    'responses',
    'event: response.completed\ndata: {"response":{"id":"$&","usage":{"a":1,"cost":0.25}},"usage":{}}\n\n',
  ],
  [
    'gemini',
    'data: {"usageMetadata":{"a":1}}\r\n\r\ndata: {"usageMetadata":{"a":2,"cost":0.25}}\r\n\r\n',
  ],
  ['gemini', '\n,\n{"usageMetadata":{"a":2,"cost":0.25}}\n]'],
  ['gemini', '[{"usageMetadata":{"a":2,"cost":0.25}}\n]'],
  ['gemini', '\n,\n{"usageMetadata":{"a":1}}\n,\n{"usageMetadata":{"a":2,"cost":0.25}}\n]'],
])('%s: the cost is in the last usage of a stream, and all else stays: %j', (name, expected) => {
  const { stream: path } = dialects[name].usagePaths
  const given = expected.replace(',"cost":0.25', '')
  for (const end of [given, Buffer.from(given)]) {
    expect(withCostAtEnd(end, path, 0.25).toString()).toBe(expected)
  }
})
