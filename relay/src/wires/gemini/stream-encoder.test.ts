import { expect, test } from 'vitest'
import { parseJson } from '../../bytes/json-value.ts'
import type { StreamEvent } from '../../form/events.ts'
import { AnswerEvents } from '../../streams/answer-events.ts'
import { finalUsage, readChat } from '../openai-chat/testing/chat.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { ContentStreamEncoder } from './stream-encoder.ts'

const events = new AnswerEvents({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o' })
const ERROR = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
const ERROR_TOLD = { error: { code: 502, message: 'why', status: 'INTERNAL' } }

const speakerFor = (asEvents = true) =>
  new ContentStreamEncoder({ asEvents, includeThoughts: true, cipher: READABLE_CIPHER })

/** The data of all events, including the end. */
function said(given: readonly StreamEvent[]) {
  const speaker = speakerFor()
  const blocks = (speaker.write(given) + speaker.end(null)).split('\r\n\r\n')
  expect(blocks.pop()).toBe('')
  return blocks.map((block) => {
    expect(block.startsWith('data: ')).toBe(true)
    return parseJson(block.slice('data: '.length))
  })
}

test('without events a stream is one array', () => {
  const stream = [events.text('x'), events.finish('stop')]
  const speaker = speakerFor(false)
  const text = speaker.write(stream) + speaker.end(finalUsage(9, 4))
  expect(text.startsWith('[{')).toBe(true)
  expect(text.endsWith('}\n]')).toBe(true)
  expect(text).toContain('}\n,\n{')
})

test('usage may arrive with the end', () => {
  const speaker = speakerFor()
  speaker.write([events.text('x'), events.finish('stop')])
  expect(speaker.end(finalUsage(9, 4))).toContain('"totalTokenCount":13')
})

test('a stream without output still has a candidate', () => {
  const content = { role: 'model', parts: [{ text: '' }] }
  expect(said([])).toEqual([{ candidates: [{ content, finishReason: 'STOP', index: 0 }] }])
})

test('a stream that breaks ends with an error', () => {
  expect(speakerFor().error(ERROR)).toBe(`data: ${JSON.stringify(ERROR_TOLD)}\r\n\r\n`)
  const array = speakerFor(false)
  const begun = array.write([events.start(), events.text('x')])
  expect(parseJson(begun + array.error(ERROR))).toMatchObject([
    { responseId: 'chatcmpl-1' },
    ERROR_TOLD,
  ])
  expect(parseJson(speakerFor(false).error(ERROR))).toEqual([ERROR_TOLD])
})

test('no provider output makes it throw', () => {
  const deep = `${'{"1":'.repeat(9000)}1${'}'.repeat(9000)}`
  const tool_calls = [{ index: 0, function: { name: 'f', arguments: deep } }]
  const odd = [
    `{"choices":[{"logprobs":{"content":[{"token":${deep},"logprob":${deep}}]}}]}`,
    JSON.stringify({ choices: [{ delta: { tool_calls } }] }),
  ]
  const all = said(readChat(...odd.map((data) => `data: ${data}\n\n`)))
  expect(all).toMatchObject([
    { candidates: [{ logprobsResult: { chosenCandidates: [{ token: '' }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] } }] },
  ])
})
