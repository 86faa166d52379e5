import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
import { geminiCodec } from './codec.ts'

test.each([
  ['imagen-4.0-generate-001', ['{}', '', '<html>', '[]', '{"predictions":[{}]}']],
  [
    'gemini-2.5-flash-image',
    ['{}', '{"candidates":[{"finishReason":"STOP"}]}', '{"candidates":7}'],
  ],
])('an answer of %s without images is returned unchanged', (model, answers) => {
  const call = taskTo('images', { key: 'AIza', model, request: { prompt: 'a cat' } })
  for (const answer of answers) {
    expect(geminiCodec.decodeTask(Buffer.from(answer), call).toString()).toBe(answer)
  }
})
