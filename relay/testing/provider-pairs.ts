import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isRecord, type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { blockData, SseSplitter } from '../src/bytes/sse.ts'
import { descriptorOf } from '../src/catalogue.ts'
import { codecOf } from '../src/codecs.ts'
import { classifyUpstreamError } from '../src/errors/upstream-error.ts'
import { readAnswer } from '../src/wires/openai-chat/answer-summary.ts'
import type { ProviderCall } from '../src/wires/provider-codec.ts'
import {
  type ClientRequest,
  NOW,
  type Provider,
  requestOf,
  describeUpstreamRequest,
} from './client-request.ts'
import {
  ABOUT,
  splitOffsets,
  type Fixture,
  fixturesIn,
  parseBuffer,
  testPairs,
} from './fixture-pairs.ts'
import { testAnyInput, testAnyRequest } from './fuzz-codec.ts'
import { type Reader, providerReader } from './read-provider.ts'

type About = {
  /** The vendor's pages that the fixtures follow. */
  readonly source: readonly string[]
  /** The type of the channel. */
  readonly type: number
  readonly channel: ProviderCall['channel']
  /** What an answer or a stream without a `.request.json` answers. */
  readonly request: ClientRequest
  /** What no answer of this provider has. */
  readonly lacks?: readonly ('usage' | 'length')[]
}

const CUTS_MAX = 4000

/** Tests a provider by the pairs in a folder: requests, answers, streams, errors and tokens. */
export function testProvider(folder: string): void {
  // Safe because a wrong value fails the tests of the folder.
  const about = JSON.parse(readFileSync(path.join(folder, ABOUT), 'utf8')) as About
  const descriptor = descriptorOf(about.type)
  if (descriptor === undefined) throw new Error(`there is no channel type ${about.type}`)
  const provider = { descriptor, channel: about.channel }
  const codec = codecOf(descriptor)
  const read = providerReader(provider, about.request)
  testPairs(folder, {
    requests: ({ bytes }) => describeAll(provider, JSON.parse(bytes.toString())),
    answers: (fixture) => {
      const { answer, endpoint } = read.whole(fixture)
      const json = parseBuffer(answer)
      if (endpoint === 'chat') expect(readAnswer('chat', json).complete).toBe(true)
      return json
    },
    streams: (fixture) => checkedStream(fixture, read.stream(fixture)),
    errors: (fixture) => {
      const failed =
        fixture.form === 'json'
          ? read.whole(fixture).answer
          : read.stream(fixture)([fixture.bytes]).observer.error
      if (failed === null) throw new Error('the stream has no error')
      const channelSecrets = { ...about.channel, proxy: null }
      return classifyUpstreamError({ channelSecrets, status: 200, headers: {}, body: failed })
    },
    tokens: ({ bytes }) => codec?.tokenExchange?.readToken(bytes, NOW) ?? null,
  })
  if (codec?.answers === undefined) return
  const call = read.callFor(about.request)
  describe(`${descriptor.name.en} in any form`, () => {
    test('has fixtures of usage, of a cut answer, of streams and of failures', () =>
      checkCompleteness(folder, about.lacks ?? []))
    testAnyInput(fixturesIn(folder, 'answers'), fixturesIn(folder, 'streams'), read)
    if (!('body' in call)) testAnyRequest(codec, call)
  })
}

const REPEATED_MEMBERS = new Set(['method', 'transport', 'url', 'headers'])

/** A list holds variants of a request; an address and headers equal to the first's are left out. */
function describeAll(provider: Provider, given: unknown): unknown {
  if (!Array.isArray(given)) return describeUpstreamRequest(provider, requestOf(given))
  const [first = {}, ...others] = given.map((request) =>
    describeUpstreamRequest(provider, requestOf(request)),
  )
  const isNew = (name: string, value: unknown) =>
    !REPEATED_MEMBERS.has(name) || JSON.stringify(value) !== JSON.stringify(first[name])
  const changes = others.map((sent) => partOf(sent, (name) => isNew(name, sent[name])))
  return [first, ...changes]
}

type Replay = ReturnType<Reader['stream']>

/** What a stream says, which is the same wherever it is cut. */
function checkedStream({ bytes, form }: Fixture, replay: Replay): unknown {
  const { chunks: unsplit, observer } = replay([bytes])
  for (const at of splitOffsets(bytes, CUTS_MAX)) {
    const split = replay([bytes.subarray(0, at), bytes.subarray(at)]).chunks
    if (!split.equals(unsplit)) expect(split.toString(), `cut at ${at}`).toBe(unsplit.toString())
  }
  const single = replay(Array.from(bytes, (byte) => Buffer.from([byte]))).chunks
  expect(single.toString(), 'byte by byte').toBe(unsplit.toString())

  const events = eventsIn(unsplit)
  const text = bytes.toString().replaceAll('\r\n', '\n')
  const eventsOf = (variant: string) => eventsIn(replay([Buffer.from(variant)]).chunks)
  expect(eventsOf(text.replaceAll('\n', '\r\n')), 'other line ends').toEqual(events)
  if (form === 'sse') {
    const withKeepAlives = text.replaceAll('\n\n', '\n\n: keep-alive\n\n')
    expect(eventsOf(withKeepAlives), 'with keep-alives').toEqual(events)
  }
  const [first = '', next = ''] = text.split(form === 'sse' ? '\n\n' : '\n')
  const broken = replay([Buffer.from(`${first}\n\n`)]).observer
  if (next !== '') expect(broken.finished && broken.done, 'broken off').toBe(false)

  const { finished, usage } = observer
  return { finished, usage, ...withHead(events) }
}

function eventsIn(bytes: Buffer): unknown[] {
  const splitter = new SseSplitter()
  return [...splitter.push(bytes), splitter.end()].flatMap((block) => {
    const data = blockData(block)?.toString()
    return data === undefined ? [] : [parseJson(data) ?? data]
  })
}

const HEAD = ['id', 'object', 'created', 'model']

/** Members that the events share stand once. */
function withHead(events: readonly unknown[]) {
  const head = partOf(events[0], (name) => HEAD.includes(name))
  const isPlain = (event: unknown) =>
    JSON.stringify(partOf(event, (name) => HEAD.includes(name))) === JSON.stringify(head)
  const rest = events.map((event) =>
    isRecord(event) && isPlain(event) ? partOf(event, (name) => !HEAD.includes(name)) : event,
  )
  return { head, events: rest }
}

const partOf = (json: unknown, isIn: (name: string) => boolean): JsonRecord =>
  Object.fromEntries(Object.entries(isRecord(json) ? json : {}).filter(([name]) => isIn(name)))

function checkCompleteness(folder: string, lacks: readonly string[]) {
  const expected = (kind: string) =>
    fixturesIn(folder, kind).map(({ expectedPath }) => readFileSync(expectedPath, 'utf8'))
  const [answers, streams] = [expected('answers'), expected('streams')]
  const has = (pattern: RegExp) => [...answers, ...streams].some((text) => pattern.test(text))
  expect(answers).not.toEqual([])
  expect(streams).not.toEqual([])
  expect(expected('errors')).not.toEqual([])
  expect(has(/"prompt_tokens"/)).toBe(!lacks.includes('usage'))
  expect(has(/"finish_reason": "length"/)).toBe(!lacks.includes('length'))
}
