import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAnswer } from '../../dialects/openai/answer.ts'
import { StreamObserver } from '../../dialects/openai/stream.ts'
import { isRecord, member, parseJson, listOf, textOf } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { classifyUpstreamError, type UpstreamProblem } from '../../upstream-error.ts'
import type { FinishReason, ReportedUsage } from '../chat-events.ts'
import type { AnswerCodec, ProviderCall, ProviderCodec } from '../provider-codec.ts'
import { decodeWhole } from './decode-whole.ts'

export type Said = {
  text: string
  reasoning?: string
  tools?: { id?: string; name: string; arguments: unknown }[]
  finish: FinishReason
  usage: ReportedUsage | null
}

export type CodecFixtures = {
  codec: ProviderCodec & { readonly answers: AnswerCodec }
  call: (parts?: Partial<ProviderCall>) => ProviderCall
  /** Bodies with status 200, in the provider's format. */
  answers: readonly { name: string; body: string; says: Said }[]
  /** Whole streams, in the provider's format. */
  streams: readonly { name: string; bytes: string; says: Said }[]
  /**
   * Failures the provider reports with status 200: as a body, or as a stream event if `inStream`.
   */
  failures: readonly {
    name: string
    body: string
    inStream: boolean
    kind: UpstreamProblem['kind']
  }[]
  /** `events` (default) are blocks of server-sent events. */
  framing?: 'events' | 'lines'
  lacks?: readonly ('usage' | 'length')[]
  /** The provider speaks OpenAI's format, which is passed on with any errors in it. */
  passesOn?: true
}

const CUTS_MAX = 4000
const FUZZ_RUNS = 200

export function conformance(name: string, fixtures: CodecFixtures) {
  const { codec, call, answers, streams, failures, framing = 'events', lacks = [] } = fixtures
  const replay: Replay = (pieces) => replayStream(codec, call({ stream: true }), pieces)

  describe(`${name} conforms`, () => {
    test('has fixtures of answers with tools, with usage and cut short, of streams, and of failures', () => {
      const said = [...answers, ...streams].map(({ says }) => says)
      expect(answers.length).toBeGreaterThan(0)
      expect(streams.length).toBeGreaterThan(0)
      expect(failures.length).toBeGreaterThan(0)
      expect(said.some(({ usage }) => usage !== null)).toBe(!lacks.includes('usage'))
      expect(said.some(({ finish }) => finish === 'length')).toBe(!lacks.includes('length'))
    })

    test.each(answers)('answer: $name', ({ body, says }) => {
      const decoded = decodeWhole(codec.answers, Buffer.from(body), call())
      expect(saidByAnswer(decoded)).toEqual(withDefaults(says))
      expect(readAnswer('chat', decoded).complete).toBe(true)
    })

    test.each(streams)('stream: $name', ({ bytes, says }) => {
      const { said, watch } = replay([Buffer.from(bytes)])
      expect(said).toEqual(withDefaults(says))
      expect(watch.finished).toBe(true)
    })

    test.each(streams)('stream, however it is cut: $name', ({ bytes, says }) => {
      const whole = Buffer.from(bytes)
      const step = Math.max(1, Math.ceil(whole.length / CUTS_MAX))
      for (let at = 1; at < whole.length; at += step) {
        const { said } = replay([whole.subarray(0, at), whole.subarray(at)])
        expect(said, `cut at ${at}`).toEqual(withDefaults(says))
      }
      const single = Array.from(whole, (byte) => Buffer.from([byte]))
      expect(replay(single).said).toEqual(withDefaults(says))
    })

    test.each(streams)(
      'stream with other line ends, comments and keep-alives: $name',
      (fixture) => {
        const says = withDefaults(fixture.says)
        const lines = fixture.bytes.replaceAll('\r\n', '\n')
        expect(replay([Buffer.from(lines.replaceAll('\n', '\r\n'))]).said).toEqual(says)
        if (framing === 'lines') return
        const commented = lines.replaceAll('\n\n', '\n\n: keep-alive\n\n')
        expect(replay([Buffer.from(commented)]).said).toEqual(says)
      },
    )

    test.each(streams)('a stream that breaks off is not finished: $name', ({ bytes }) => {
      const blocks = bytes.replaceAll('\r\n', '\n').split(framing === 'lines' ? '\n' : '\n\n')
      const first = blocks.slice(0, 1).join('')
      const { watch } = replay([Buffer.from(`${first}\n\n`)])
      expect(watch.finished && watch.done).toBe(false)
    })

    testFailures(fixtures, replay)
    testNothingThrows(fixtures, replay)
  })
}

type Replay = (pieces: readonly Buffer[]) => ReturnType<typeof replayStream>

function testFailures({ codec, call, failures }: CodecFixtures, replay: Replay) {
  test.each(failures)('failure: $name', ({ body, inStream, kind }) => {
    const said = inStream
      ? failureIn(replay, body)
      : decodeWhole(codec.answers, Buffer.from(body), call())
    const askedWith = { key: '', baseUrl: '', proxy: null }
    const problem = classifyUpstreamError({ askedWith, status: 200, headers: {}, body: said })
    expect(problem.kind).toBe(kind)
  })
}

function testNothingThrows(fixtures: CodecFixtures, replay: Replay) {
  const { codec, call, answers, streams, passesOn = false } = fixtures
  test('nothing that comes throws', () => {
    const bodies = mutations(answers.map(({ body }) => body))
    const text = fc.oneof(fc.json(), fc.string(), bodies)
    const decode = fc.property(text, (body) => {
      decodeWhole(codec.answers, Buffer.from(body), call())
    })
    fc.assert(decode, { numRuns: FUZZ_RUNS })
    const events = fc.json().map((json) => `data: ${json}\n\n${json}\n`)
    const bytes = fc.oneof(events, mutations(streams.map((stream) => stream.bytes)))
    const read = fc.property(bytes, (stream) => {
      const replayed = replay([Buffer.from(stream)])
      return passesOn || isRecord(replayed.said)
    })
    fc.assert(read, { numRuns: FUZZ_RUNS })
  })
}

/** Replaces a random piece of a text with nothing or with a value of another type. */
function mutations(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat(30),
      fc.constantFrom('', 'null', '[]', '{}', '7', '"x"'),
    )
    .map(([text, at, length, put]) => {
      const start = at % Math.max(1, text.length)
      return text.slice(0, start) + put + text.slice(start + length)
    })
}

function failureIn(replay: Replay, bytes: string): object {
  const { watch } = replay([Buffer.from(bytes)])
  if (watch.error === null) throw new Error('the stream has no error')
  return watch.error
}

function replayStream(
  codec: CodecFixtures['codec'],
  call: ProviderCall,
  pieces: readonly Buffer[],
) {
  const decoder = codec.answers.decoder(call)
  const watch = new StreamObserver()
  const events = [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
  for (const event of events) watch.push(event)
  watch.end()
  return {
    watch,
    get said() {
      const splitter = new SseSplitter()
      const blocks = events.flatMap((event) => splitter.push(event))
      return saidByEvents(blocks.map((block) => blockData(block)?.toString() ?? ''))
    },
  }
}

const withDefaults = ({ text, reasoning = '', tools = [], finish, usage }: Said) => ({
  text,
  reasoning,
  tools: tools.map(({ id, ...tool }) => (id === undefined ? tool : { id, ...tool })),
  finish,
  usage: usage === null ? null : withoutNothing(usage),
})

function withoutNothing(usage: ReportedUsage) {
  return Object.fromEntries(
    Object.entries(usage).filter(([, value]) => value !== undefined && value !== 0),
  )
}

type Gathered = Omit<ReturnType<typeof withDefaults>, 'finish'> & { finish: FinishReason | null }

function saidByAnswer(body: Buffer): Gathered {
  const json = parseJson(body.toString())
  const choice = firstOf(member(json, 'choices'))
  const message = member(choice, 'message')
  return {
    text: textOf(member(message, 'content')),
    reasoning: textOf(member(message, 'reasoning_content')),
    tools: listOf(member(message, 'tool_calls')).map((call) => toolOf(call)),
    finish: finishOf(choice),
    usage: usageOf(member(json, 'usage')),
  }
}

function saidByEvents(events: readonly string[]): Gathered {
  let [text, reasoning] = ['', '']
  let finish: FinishReason | null = null
  const tools = new Map<unknown, { id: unknown; name: string; arguments: string }>()
  let usage: Gathered['usage'] = null
  for (const event of events) {
    const json = parseJson(event)
    usage = usageOf(member(json, 'usage')) ?? usage
    const choice = firstOf(member(json, 'choices'))
    const delta = member(choice, 'delta')
    text += textOf(member(delta, 'content'))
    reasoning += textOf(member(delta, 'reasoning_content'))
    if (member(choice, 'finish_reason')) finish = finishOf(choice)
    for (const call of listOf(member(delta, 'tool_calls'))) {
      const index = member(call, 'index')
      const named = member(call, 'function')
      const known = tools.get(index) ?? { id: member(call, 'id'), name: '', arguments: '' }
      known.name += textOf(member(named, 'name'))
      known.arguments += textOf(member(named, 'arguments'))
      tools.set(index, known)
    }
  }
  const calls = [...tools.values()].map((tool) => toolOf({ id: tool.id, function: tool }))
  return { text, reasoning, tools: calls, finish, usage }
}

/** Generated ids start with the request id and are not compared. */
function toolOf(call: unknown) {
  const named = member(call, 'function')
  const id = textOf(member(call, 'id'))
  expect(id).not.toBe('')
  const text = textOf(member(named, 'arguments'))
  const tool = { name: textOf(member(named, 'name')), arguments: parseJson(text) ?? text }
  return id.startsWith(MADE_ID) ? tool : { id, ...tool }
}

/** The request id in all fixtures. */
export const MADE_ID = 'request-7'

function usageOf(value: unknown): Gathered['usage'] {
  if (!isRecord(value)) return null
  const details = member(value, 'prompt_tokens_details')
  const written = {
    promptTokens: member(value, 'prompt_tokens'),
    completionTokens: member(value, 'completion_tokens'),
    cachedTokens: member(details, 'cached_tokens'),
    cacheWriteTokens: member(details, 'cache_write_tokens'),
    reasoningTokens: member(member(value, 'completion_tokens_details'), 'reasoning_tokens'),
  }
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, count]) =>
      typeof count === 'number' && count !== 0 ? [[name, count]] : [],
    ),
  )
}

const firstOf = (value: unknown): unknown => listOf(value)[0]

function finishOf(choice: unknown): FinishReason {
  const reason = member(choice, 'finish_reason')
  if (
    reason === 'stop' ||
    reason === 'length' ||
    reason === 'tool_calls' ||
    reason === 'content_filter'
  ) {
    return reason
  }
  throw new Error(`${String(reason)} is no finish reason`)
}
