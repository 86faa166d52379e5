import { expect, test } from 'vitest'
import { ChatEvents } from '../../codec/chat-events.ts'
import { parseJson } from '../../json-value.ts'
import { ContentStreamEncoder } from './stream-encoder.ts'

const events = new ChatEvents({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o' })
const USAGE = events.usage({ promptTokens: 9, completionTokens: 4, cachedTokens: 3 })
const ERROR = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
const ERROR_TOLD = { error: { code: 502, message: 'why', status: 'INTERNAL' } }

const speakerFor = (asEvents = true) =>
  new ContentStreamEncoder({ asEvents, includeThoughts: true })

/** The data of all events, including the end. */
function said(given: readonly Buffer[]) {
  const speaker = speakerFor()
  const blocks = (speaker.write(given).join('') + speaker.end('')).split('\r\n\r\n')
  expect(blocks.pop()).toBe('')
  return blocks.map((block) => {
    expect(block.startsWith('data: ')).toBe(true)
    return parseJson(block.slice('data: '.length))
  })
}

test('without events a stream is one array', () => {
  const stream = [events.text('x'), events.finish('stop'), USAGE]
  const speaker = speakerFor(false)
  const text = speaker.write(stream).join('') + speaker.end('')
  expect(text.startsWith('[{')).toBe(true)
  expect(text.endsWith('}\n]')).toBe(true)
  expect(text).toContain('}\n,\n{')
})

test('usage may arrive with the end', () => {
  const speaker = speakerFor()
  speaker.write([events.text('x'), events.finish('stop')])
  expect(speaker.end(USAGE.toString())).toContain('"totalTokenCount":13')
})

test('a stream without output still has a candidate', () => {
  expect(said([])).toEqual([
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 },
      ],
    },
  ])
})

test('a stream that breaks ends with an error', () => {
  expect(speakerFor().error(ERROR)).toBe(`data: ${JSON.stringify(ERROR_TOLD)}\r\n\r\n`)
  const array = speakerFor(false)
  const begun = Buffer.concat([...array.write([events.text('x')])]).toString()
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
  const all = said(odd.map((data) => Buffer.from(`data: ${data}\n\n`)))
  expect(all).toMatchObject([
    { candidates: [{ logprobsResult: { chosenCandidates: [{ token: '' }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] } }] },
  ])
})
