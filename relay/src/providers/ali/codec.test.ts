import { expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { chunksOf } from '../../wires/openai-chat/testing/chat.ts'
import { dashscopeDecoder } from './stream.ts'

test('a finish reason in every event is not an end', () => {
  const decoder = dashscopeDecoder(callTo({ key: 'sk-1', model: 'qwen-plus' }, { stream: true }))
  const steps = ['a stop', 'b stop', 'c length'].map((said) => {
    const [content, finish_reason] = said.split(' ')
    const output = { choices: [{ message: { role: 'assistant', content }, finish_reason }] }
    return decoder.push(Buffer.from(`data:${JSON.stringify({ output })}\n\n`))
  })
  const told = [...steps, decoder.end()].map((step) => chunksOf(step).toString())
  const words = told.map((step) =>
    [...step.matchAll(/"(?:content|finish_reason)":"([^"]+)"/g)].map(([, one]) => one),
  )
  expect(words).toEqual([['a', 'stop'], ['b'], ['c'], ['length']])
  expect(told.at(-1)).toMatch(/\[DONE\]\n\n$/)
})
