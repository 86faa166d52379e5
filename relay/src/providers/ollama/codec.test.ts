import { expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { decodeWhole } from '../../streams/testing/decode-whole.ts'
import { ollamaCodec } from './codec.ts'

test("answers to completions, which have OpenAI's form, pass unchanged", () => {
  const call = callTo(
    { key: '', model: 'qwen3' },
    { endpoint: 'completions', request: { prompt: 'a' } },
  )
  const body = Buffer.from('{}')
  expect(decodeWhole(ollamaCodec.answers, body, call)).toBe(body)
  const decoder = ollamaCodec.answers.decoder(call)
  const events = [...decoder.push(Buffer.from('data: {}\n\ndata: [DONE]')), ...decoder.end()]
  expect(events.map(String)).toEqual(['data: {}\n\n', 'data: [DONE]\n\n'])
})
