import { expect, test } from 'vitest'
import { limitCacheMarks } from './cache-marks.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
const text = (name: string, mark = {}) => ({ type: 'text', text: name, ...mark })

test('keeps the last four marks', () => {
  const request = (first: object) => ({
    model: 'm',
    tools: [{ name: 'a', ...first }, { name: 'b' }],
    system: [text('s', first)],
    messages: [
      { role: 'user', content: [text('1', MARK), text('2', MARK)] },
      { role: 'assistant', content: [text('3')] },
      { role: 'user', content: [{ type: 'tool_result', content: [text('4')], ...MARK }] },
    ],
    ...MARK,
  })
  expect(limitCacheMarks(request(MARK))).toEqual(request({}))
  const four = request({})
  expect(limitCacheMarks(four)).toBe(four)
})
