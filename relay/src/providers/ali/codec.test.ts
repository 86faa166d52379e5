import { describe, expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { chunksOf } from '../../wires/openai-chat/testing/chat.ts'
import { dashscopeDecoder } from './stream.ts'

describe('a finish reason', () => {
  const said = (...events: [content: string, finish: string][]) => {
    const call = callTo({ key: 'sk-1', model: 'qwen-plus' }, { stream: true })
    const decoder = dashscopeDecoder(call)
    const steps = events.map(([content, finish_reason]) => {
      const output = { choices: [{ message: { role: 'assistant', content }, finish_reason }] }
      return decoder.push(Buffer.from(`data:${JSON.stringify({ output })}\n\n`))
    })
    return [...steps, decoder.end()].map((step) => chunksOf(step).toString())
  }
  const told = (steps: readonly string[]) =>
    steps.map((step) =>
      [...step.matchAll(/"(?:content|finish_reason)":"([^"]+)"/g)].map(([, one]) => one),
    )

  test('is sent at once after text', () => {
    expect(told(said(['a', 'null'], ['', 'stop']))).toEqual([['a'], ['stop'], []])
  })

  test('in every event is not an end', () => {
    const steps = said(['a', 'stop'], ['b', 'stop'], ['c', 'length'])
    expect(told(steps)).toEqual([['a', 'stop'], ['b'], ['c'], ['length']])
    expect(steps.at(-1)).toMatch(/\[DONE\]\n\n$/)
  })

  test('in an empty first event is withheld until the end', () => {
    const steps = said(['', 'stop'], ['Hello', 'null'])
    expect(told(steps)).toEqual([[], ['Hello'], ['stop']])
  })
})
