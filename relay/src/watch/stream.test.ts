import { describe, expect, test } from 'vitest'
import { watchChat } from '../wires/openai-chat/testing/chat.ts'
import type { StreamObserver } from './stream-observer.ts'
import { chunk, DONE, event, finish, HEAD, USAGE, usageEvent, watch } from './testing/chunks.ts'

const words = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: '你好' }),
  chunk({ content: ' 🎉"usage": {"error"' }),
  chunk({ content: 'usage' }),
]

/** Looks like the other events, but ends in a brace. */
const cutAtBrace = (event: string) => `${event.slice(0, event.indexOf('}') + 1)}\n\n`
const text = words.join('')
const SAID = '你好 🎉"usage": {"error"usage'
const calls = [
  { id: 'c', function: { name: 'get_time', arguments: '' } },
  { function: { arguments: '{"finish_reason":' } },
  { function: { arguments: '"x"}' } },
].map((call) => chunk({ tool_calls: [{ index: 0, ...call }] }, { usage: null }))
const called = calls.join('') + finish('tool_calls', { usage: null })
const inChoice = text + chunk({}, {}, { finish_reason: 'stop', usage: USAGE })
const asGroq = text + finish('length', { x_groq: { id: 'r', usage: USAGE } })
const growing = [1, 9, 16].map((completion_tokens) =>
  chunk({ content: 'a' }, { usage: { ...USAGE, completion_tokens } }),
)

/** Each case must give the same result for any chunk boundaries. */
const CASES: readonly {
  name: string
  input: string
  output: string
  state: Partial<StreamObserver>
  said: string
}[] = [
  {
    name: 'text with usage on request, which the client did not ask for',
    input: text + finish('stop') + usageEvent + DONE,
    output: text + finish('stop'),
    state: { started: true, done: true, finished: true, error: null, withheldUsage: USAGE },
    said: SAID,
  },
  {
    name: 'tool calls and a null usage in every event',
    input: called + usageEvent,
    output: called,
    state: { done: false, finished: true, model: 'gpt-x' },
    said: 'get_time{"finish_reason":"x"}',
  },
  {
    name: 'usage inside the last choice, as Moonshot sent it',
    input: inChoice + DONE,
    output: inChoice,
    state: { finished: true },
    said: SAID,
  },
  {
    name: 'usage as Groq sends it',
    input: asGroq,
    output: asGroq,
    state: { finished: true },
    said: SAID,
  },
  {
    name: 'growing usage in every event, of which the last counts',
    input: growing.join(''),
    output: growing.join(''),
    state: { finished: false },
    said: 'aaa',
  },
  {
    name: 'comments, keep-alives and events of other kinds',
    input: `: PROCESSING\n\n${text}: PROCESSING\n\nevent: ping\n\n${finish('stop')}${usageEvent}`,
    output: `: PROCESSING\n\n${text}: PROCESSING\n\nevent: ping\n\n${finish('stop')}`,
    state: { started: true, finished: true },
    said: SAID,
  },
  {
    name: 'malformed events, which are left out',
    input: `${event('{"broken": ')}${words[0]}${event('{"id":"chatcmpl-b1","object":"chat')}${event('ping')}data:\n\n${words[1]}${finish('stop')}${usageEvent}`,
    output: `${words[0]}${words[1]}${finish('stop')}`,
    state: { finished: true },
    said: '你好',
  },
  {
    name: 'malformed events that begin and end like those before them, which are left out',
    input: `${words[0]}${words[1]}${cutAtBrace(words[2] ?? '')}${words[1]}${finish('stop')}${usageEvent}`,
    output: `${words[0]}${words[1]}${words[1]}${finish('stop')}`,
    state: { finished: true },
    said: '你好你好',
  },
  {
    name: 'the end of the stream without its last blank line',
    input: `${text}${finish('stop')}${usageEvent.trimEnd()}`,
    output: text + finish('stop'),
    state: { finished: true },
    said: SAID,
  },
]

const LINE_ENDS = [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const

describe.each(CASES)('$name', ({ input, output, state, said }) => {
  const check = (stream: StreamObserver, sent: Buffer[], lineEnd: string, cut: number) => {
    const received = Buffer.concat(sent).toString().replaceAll(lineEnd, '\n')
    expect(received, `cut at ${cut}`).toBe(output)
    expect(stream.usage, `cut at ${cut}`).toMatchObject({ promptTokens: 61, completionTokens: 16 })
    expect(stream).toMatchObject({ ...state, overflowed: false })
    expect(stream.outputTextForCounting()).toEqual({ text: said, tokensBeyond: 0 })
  }

  test.each(LINE_ENDS)('is the same with %s cut at every byte', (_name, lineEnd) => {
    const bytes = Buffer.from(input.replaceAll('\n', lineEnd))
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const stream = watchChat()
      const sent = [
        ...stream.push(bytes.subarray(0, cut)),
        ...stream.push(bytes.subarray(cut)),
        ...stream.end(),
      ]
      check(stream, sent, lineEnd, cut)
    }
  })

  test.each(LINE_ENDS)('is the same with %s event by event', (_name, lineEnd) => {
    const stream = watchChat()
    const events = input.split(/(?<=\n\n)/).map((event) => event.replaceAll('\n', lineEnd))
    const sent = events.flatMap((event) => stream.push(Buffer.from(event)))
    check(stream, [...sent, ...stream.end()], lineEnd, -1)
  })

  test('is the same byte by byte', () => {
    const stream = watchChat()
    const sent = [...Buffer.from(input)].flatMap((byte) => stream.push(Buffer.from([byte])))
    check(stream, [...sent, ...stream.end()], '\n', -1)
  })
})

test('sends the events of a chunk as they are, without copying', () => {
  const stream = watchChat()
  const bytes = Buffer.from(text)
  const sent = stream.push(bytes)
  expect(Buffer.concat(sent)).toEqual(bytes)
  expect(sent.every(({ buffer }) => buffer === bytes.buffer)).toBe(true)
})

test('keeps unknown fields', () => {
  const unknown = chunk({ content: 'a', mood: 9007199254740993 }, { provider: 'x' })
  expect(watch(words[0] + unknown).sent).toBe(words[0] + unknown)
})

test('has not started after comments only', () => {
  expect(watch(': wait\n\n: wait\n\n').stream.started).toBe(false)
})

test('has no first token before there is output of any kind', () => {
  const spoke = (input: string) => watch(input).stream.hasOutput
  const silent = [
    chunk({ role: 'assistant' }),
    chunk({ role: 'assistant', content: '', tool_calls: [] }),
    chunk({ content: '', reasoning_content: null }),
    event({ ...HEAD, choices: [] }),
    event({ choices: [{ index: 0, text: '', finish_reason: null }] }),
    ': wait\n\n',
    usageEvent,
  ]
  expect(spoke(silent.join('') + silent.join(''))).toBe(false)
  const telling = [
    chunk({ content: 'a' }),
    chunk({ reasoning: 'a' }),
    chunk({ refusal: 'a' }),
    chunk({ audio: { data: 'a' } }),
    chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }),
    finish('stop'),
    event({ choices: [{ index: 0, text: 'a', finish_reason: null }] }),
  ]
  for (const one of telling) expect([one, spoke(silent.join('') + one)]).toEqual([one, true])
})

test('is not finished before every requested choice has begun and ended', () => {
  const other = (reason: string | null) =>
    chunk({ content: 'b' }, {}, { index: 1, finish_reason: reason })
  const several = { choices: 2 }
  for (const open of [words[1] + finish('stop'), words[0] + other(null) + finish('stop')]) {
    expect(watch(open, several).stream.finished).toBe(false)
  }
  const whole = watch(words[0] + other(null) + finish('stop') + other('stop'), several).stream
  expect(whole.finished).toBe(true)
  expect(whole.outputTextForCounting().text).toBe('bb')
})

test('is not finished when it breaks off, or by an empty finish reason', () => {
  const unfinished = { started: true, finished: false, done: false }
  expect(watch(text).stream).toMatchObject(unfinished)
  expect(watch(text + finish('')).stream).toMatchObject(unfinished)
})

describe('an error in the stream', () => {
  const error = { error: { message: 'Overloaded', type: 'overloaded_error' } }

  test('as the first event is withheld from the client, and the stream has not started', () => {
    const { stream, sent } = watch(event(error) + DONE)
    expect(sent).toBe('')
    expect(stream).toMatchObject({ started: false, finished: false, error })
  })

  test('later stops the output, but usage is still read', () => {
    const { stream, sent } = watch(text + event(error) + chunk({ content: 'x' }) + usageEvent)
    expect(sent).toBe(text)
    expect(stream).toMatchObject({ started: true, finished: false, error })
    expect(stream.usage).not.toBeNull()
  })

  test.each([
    [
      'next to a choice, as OpenRouter sends it',
      { ...HEAD, ...error, choices: [{ finish_reason: 'error' }] },
    ],
    ['as a finish reason', { ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }],
    ['as a text', { error: 'out of memory' }],
    ['as vLLM and Mistral send it', { object: 'error', message: 'no', code: 400 }],
    ['as MiniMax sends it', { base_resp: { status_code: 1008, status_msg: 'no money' } }],
    ['as FastGPT sends it', { code: 514, statusText: 'unAuthApiKey', message: '', error: {} }],
  ])('is recognized %s', (_how, body) => {
    const { stream, sent } = watch(words[0] + event(body))
    expect(stream.error).toEqual(body)
    expect(sent).toBe(words[0])
  })

  test.each([[null], [false], [0], ['']])('is not recognized in %j or in a text', (none) => {
    const input = words[0] + chunk({ content: 'error' }, { error: none })
    const { stream, sent } = watch(input)
    expect([stream.error, sent]).toEqual([null, input])
  })
})

test('leaves out lines that are not part of an event stream', () => {
  const { stream, sent } = watch('{"error":{"message":"no"}}\n\n<html>\n\n')
  expect(sent).toBe('')
  expect(stream.started).toBe(false)
})

describe('counting without usage', () => {
  const pieces = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'think ' }),
    chunk({ reasoning: 'more ' }),
    chunk({ content: 'answer ' }),
    chunk({ content: null, refusal: 'no ' }),
    chunk({ function_call: { name: 'f', arguments: '{}' } }),
    chunk({
      content: [
        { type: 'thinking', thinking: [{ text: 't' }] },
        { type: 'text', text: 'u' },
      ],
    }),
  ]

  test('counts text, reasoning, refusals and calls', () => {
    const { stream } = watch(pieces.join(''))
    expect(stream.outputTextForCounting().text).toBe('think more answer no f{}tu')
  })

  test('counts a second text of an event, however often it is the same', () => {
    const same = chunk({ content: '', reasoning_content: 'the ' })
    const { stream } = watch(same.repeat(100))
    expect(stream.outputTextForCounting().text).toBe('the '.repeat(100))
  })

  test('counts the text of completions', () => {
    const piece = (said: string) =>
      event({ id: 'cmpl-1', object: 'text_completion', choices: [{ text: said, index: 0 }] })
    const { stream } = watch(piece('a') + piece('b') + piece('"text":'))
    expect(stream.outputTextForCounting().text).toBe('ab"text":')
  })

  test('estimates text beyond the kept amount by the share of text in the kept part', () => {
    const many = Array.from({ length: 1000 }, () => chunk({ content: 'abcde' })).join('')
    const kept = watch(many, { keptBytesMax: 1024 }).stream.outputTextForCounting()
    expect(kept.text.length).toBeLessThan(1000)
    const tokens = kept.text.length * 0.38 + kept.tokensBeyond
    expect(tokens).toBeGreaterThan(5000 * 0.38 * 0.95)
    expect(tokens).toBeLessThan(5000 * 0.38 * 1.05)
  })
})

test('usage in a non-standard place does not count as sent', () => {
  const told = (last: string) => {
    const { stream } = watch(text + last)
    return [stream.usage?.promptTokens, stream.usageInStandardField]
  }
  expect(told(usageEvent)).toEqual([61, true])
  expect(told(finish('stop', { usage: USAGE }))).toEqual([61, true])
  expect(told(finish('stop', { x_groq: { usage: USAGE } }))).toEqual([61, false])
  expect(told(chunk({}, {}, { usage: USAGE, finish_reason: 'stop' }))).toEqual([61, false])
  expect(told(finish('stop'))).toEqual([undefined, false])
})

test('implausible usage is not sent', () => {
  const placeholder = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 }
  const last = event({ ...HEAD, choices: [], usage: placeholder })
  const { stream, sent } = watch(text + last)
  expect(sent).toBe(text)
  expect(stream).toMatchObject({ usage: null, usageInStandardField: false })
})
