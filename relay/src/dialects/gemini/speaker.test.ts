import { expect, test } from 'vitest'
import { ChatEvents, DONE_EVENT } from '../../codec/chat-events.ts'
import { parseJson } from '../../json-value.ts'
import { ContentSpeaker } from './speaker.ts'

const events = new ChatEvents({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o' })
const USAGE = events.usage({ promptTokens: 9, completionTokens: 4, cachedTokens: 3 })
const ERROR = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
const ERROR_TOLD = { error: { code: 502, message: 'why', status: 'INTERNAL' } }

type Wish = { asEvents?: boolean; withThoughts?: boolean }
type Cut = (bytes: Buffer) => Buffer[]

const speakerFor = ({ asEvents = true, withThoughts = true }: Wish = {}) =>
  new ContentSpeaker({ asEvents, withThoughts })

function textOf(given: readonly Buffer[], wish: Wish = {}, cut: Cut = (bytes) => [bytes]): string {
  const speaker = speakerFor(wish)
  const pieces = given.flatMap(cut).flatMap((piece) => [...speaker.say([piece])])
  return Buffer.concat(pieces).toString() + speaker.end('')
}

/** The data of all events, including the end. */
function said(given: readonly Buffer[], wish: Wish = {}, cut?: Cut) {
  const blocks = textOf(given, wish, cut).split('\r\n\r\n')
  expect(blocks.pop()).toBe('')
  return blocks.map((block) => {
    expect(block.startsWith('data: ')).toBe(true)
    return parseJson(block.slice('data: '.length))
  })
}

const head = { modelVersion: 'gpt-4o', responseId: 'chatcmpl-1' }
const piece = (...parts: object[]) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0 }],
  ...head,
})
const end = (finishReason: string, ...parts: object[]) => ({
  candidates: [
    {
      content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
      finishReason,
      index: 0,
    },
  ],
  usageMetadata: {
    promptTokenCount: 9,
    candidatesTokenCount: 4,
    cachedContentTokenCount: 3,
    totalTokenCount: 13,
  },
  ...head,
})

test('a text is told in its pieces, and its end with the usage', () => {
  const stream = [
    events.delta({ role: 'assistant', content: '' }),
    events.text('Hel'),
    events.text('lo'),
  ]
  expect(said([...stream, events.finish('stop'), USAGE])).toEqual([
    piece({ text: 'Hel' }),
    piece({ text: 'lo' }),
    end('STOP'),
  ])
})

const THINKING = [
  events.reasoning('Hm'),
  events.text('So'),
  events.delta({ extra_content: { google: { thought_signature: 's' } } }),
  events.toolCall(0, {
    id: 'a',
    name: 'f',
    arguments: '',
    extra: { extra_content: { google: { thought_signature: 't' } } },
  }),
  events.toolArguments(0, '{"x":'),
  events.toolCall(1, { id: 'b', name: 'g', arguments: '{}' }),
  events.toolArguments(0, '1}'),
  events.finish('tool_calls'),
  USAGE,
]
const CALLS = [
  { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 't' },
  { functionCall: { id: 'b', name: 'g', args: {} } },
]

test('thoughts are told if they are wanted, and calls whole', () => {
  const rest = [
    piece({ text: 'So' }),
    piece({ text: '', thoughtSignature: 's' }),
    end('STOP', ...CALLS),
  ]
  expect(said(THINKING)).toEqual([piece({ text: 'Hm', thought: true }), ...rest])
  expect(said(THINKING, { withThoughts: false })).toEqual(rest)
})

test('calls without indexes are told apart by their ids', () => {
  const call = (id: string | undefined, name: string | undefined, args: string) =>
    events.delta({ tool_calls: [{ id, function: { name, arguments: args } }] })
  const stream = [
    call('a', 'f', '{'),
    call(undefined, undefined, '}'),
    call('b', undefined, '{"y":'),
    call('b', 'f', '2}'),
    call(undefined, 'g', '{"z":3}'),
  ]
  expect(said([...stream, events.finish('tool_calls'), USAGE])).toEqual([
    end(
      'STOP',
      { functionCall: { id: 'a', name: 'f', args: {} } },
      { functionCall: { id: 'b', name: 'f', args: { y: 2 } } },
      { functionCall: { id: 'call_chatcmpl-1_0_2', name: 'g', args: { z: 3 } } },
    ),
  ])
})

test('two candidates end together', () => {
  const stream = [
    events.text('b', 1),
    events.text('a', 0),
    events.finish('length', 1),
    events.finish('stop', 0),
  ]
  expect(said(stream).at(-1)).toMatchObject({
    candidates: [
      { index: 0, finishReason: 'STOP' },
      { index: 1, finishReason: 'MAX_TOKENS' },
    ],
  })
})

test('however the events come, the same is said', () => {
  const stream = [events.text('Grüße, 世界'), ...THINKING]
  const single = (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.from([byte]))
  for (const asEvents of [true, false]) {
    const whole = textOf(stream, { asEvents })
    expect(textOf(stream, { asEvents }, single)).toBe(whole)
    expect(textOf([Buffer.concat(stream)], { asEvents }).length).toBe(whole.length)
  }
})

test('without events a stream is one array', () => {
  const stream = [events.text('x'), events.finish('stop'), USAGE]
  const text = textOf(stream, { asEvents: false })
  expect(text.startsWith('[{')).toBe(true)
  expect(text.endsWith('}\n]')).toBe(true)
  expect(text).toContain('}\n,\n{')
  expect(parseJson(text)).toEqual([piece({ text: 'x' }), end('STOP')])
})

test('what is no event is not told', () => {
  const stream = [': keep-alive\n\n', 'data: no JSON\n\n', 'data: [1]\n\n'].map((text) =>
    Buffer.from(text),
  )
  expect(said([...stream, events.text('x'), DONE_EVENT, events.finish('stop'), USAGE])).toEqual([
    piece({ text: 'x' }),
    end('STOP'),
  ])
})

test('usage may come with the end', () => {
  const speaker = speakerFor()
  speaker.say([events.text('x'), events.finish('stop')])
  expect(speaker.end(USAGE.toString())).toContain('"totalTokenCount":13')
})

test('a stream that said nothing has a candidate all the same', () => {
  expect(said([])).toEqual([
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 },
      ],
    },
  ])
})

test('a stream that breaks ends with an error', () => {
  expect(speakerFor().fail(ERROR)).toBe(`data: ${JSON.stringify(ERROR_TOLD)}\r\n\r\n`)
  const array = speakerFor({ asEvents: false })
  const begun = Buffer.concat([...array.say([events.text('x')])]).toString()
  expect(parseJson(begun + array.fail(ERROR))).toEqual([piece({ text: 'x' }), ERROR_TOLD])
  expect(parseJson(speakerFor({ asEvents: false }).fail(ERROR))).toEqual([ERROR_TOLD])
})

test('nothing that a provider sends makes it throw', () => {
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
