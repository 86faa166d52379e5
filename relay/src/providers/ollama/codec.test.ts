import { expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { PASSED, passedUnchanged } from '../../streams/testing/decode-whole.ts'
import { ollamaCodec } from './codec.ts'

test("answers to completions, which have OpenAI's form, pass unchanged", () => {
  const model = { key: '', model: 'qwen3' }
  const call = callTo(model, { endpoint: 'completions', request: { prompt: 'a' } })
  expect(passedUnchanged(ollamaCodec.answers, call)).toEqual(PASSED)
})
