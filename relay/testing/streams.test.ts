import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { finish } from '../src/bytes/steps.ts'
import { descriptorOf } from '../src/catalogue.ts'
import type { Answer } from '../src/form/answer.ts'
import type { ProviderDescriptor } from '../src/provider.ts'
import { summaryOf } from '../src/usage/answer-summary.ts'
import { readChatAnswer } from '../src/wires/openai-chat/chat-answer.ts'
import type { ProviderCall } from '../src/wires/provider-codec.ts'
import type { ClientRequest } from './client-request.ts'
import { DIALECT_FIXTURES, dialectOf } from './dialect-pairs.ts'
import { ABOUT, type Fixture, fixturesIn, parseBuffer } from './fixture-pairs.ts'
import { providerReader, type Reader } from './read-provider.ts'
import { METERED, passStream, type Relayed, relayStream } from './relay-stream.ts'

/*
 * Every recorded stream and answer, relayed to the clients of all dialects. The usage, the counted
 * text and the client's bytes are the recorded ones: a change of them moves charges or breaks
 * clients.
 */

const EXPECTED = path.join(import.meta.dirname, 'streams.expected.json')
const EXPECTED_ANSWERS = path.join(import.meta.dirname, 'answers.expected.json')
const SOURCES = path.join(import.meta.dirname, '../src')

const hi = [{ role: 'user', content: 'hi' }]
const CLIENTS: Readonly<Record<string, { path: string; body: object }>> = {
  openai: { path: '/v1/chat/completions', body: { model: 'm', stream: true, messages: hi } },
  anthropic: {
    path: '/v1/messages',
    body: { model: 'm', stream: true, max_tokens: 9, messages: hi },
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'm', stream: true, input: 'hi', include: ['reasoning.encrypted_content'] },
  },
  gemini: {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    },
  },
}

function clientOf(name: string) {
  const { path: requestPath, body } = CLIENTS[name] ?? { path: '', body: {} }
  const dialect = dialectOf(name, requestPath)
  finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(body)), {}))
  return dialect
}

/** Chunks as a provider sends them: an event each. */
function eventsOf({ bytes, form }: Fixture): Buffer[] {
  const text = bytes.toString()
  const pieces = text.split(form === 'sse' ? /(?<=\n\n|\r\n\r\n)/ : /(?<=\n)/)
  return pieces.map((piece) => Buffer.from(piece))
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function describe({ bytes, observer }: Relayed) {
  const { usage, outputBytes, eventCount, deltaCount, finished, done, error } = observer
  const text = bytes.replaceAll(UUID, 'uuid')
  const digest = digestOf(text)
  if (process.env['DUMP_STREAMS'] !== undefined)
    writeFileSync(path.join(process.env['DUMP_STREAMS'], digest), text)
  const output = { output: observer.outputTextForCounting(), plain: observer.plainText() }
  const said = digestOf(JSON.stringify(output))
  const counts = { eventCount, deltaCount, finished, done, error }
  return {
    observed: { usage, outputBytes, said, ...counts },
    client: `${digest} (${text.length})`,
  }
}

type Provider = {
  readonly name: string
  readonly folder: string
  readonly descriptor: ProviderDescriptor
  readonly reader: Reader
}

function* providers(): Generator<Provider> {
  for (const name of readdirSync(path.join(SOURCES, 'providers'))) {
    const folder = path.join(SOURCES, 'providers', name, '__fixtures__')
    if (!existsSync(folder)) continue
    // Safe because a wrong value fails the tests of the folder.
    const about = JSON.parse(readFileSync(path.join(folder, ABOUT), 'utf8')) as {
      type: number
      channel: ProviderCall['channel']
      request: ClientRequest
    }
    const descriptor = descriptorOf(about.type)
    if (descriptor === undefined) throw new Error(`there is no channel type ${about.type}`)
    const reader = providerReader({ descriptor, channel: about.channel }, about.request)
    yield { name, folder, descriptor, reader }
  }
}

/** Fixtures in the form of chat completions, by the dialect that translates them. */
function* chatFixtures(kind: string): Generator<{ name: string; fixture: Fixture }> {
  for (const dialect of ['anthropic', 'gemini', 'responses']) {
    const folder = DIALECT_FIXTURES[dialect] ?? ''
    for (const fixture of fixturesIn(folder, kind)) {
      yield { name: `chat/${dialect}/${fixture.name}`, fixture }
    }
  }
}

type Source = { name: string; chunks: Buffer[]; upstream: Parameters<typeof relayStream>[0] }

function* streams(): Generator<Source> {
  for (const { name, folder, descriptor, reader } of providers()) {
    for (const kind of ['streams', 'errors']) {
      for (const fixture of fixturesIn(folder, kind)) {
        if (kind === 'errors' && fixture.form === 'json') continue
        const upstream = { descriptor, call: reader.callOf(fixture) }
        yield { name: `${name}/${fixture.name}`, chunks: eventsOf(fixture), upstream }
      }
    }
  }
  for (const { name, fixture } of chatFixtures('streams')) {
    yield { name, chunks: eventsOf(fixture), upstream: null }
  }
}

function* answers(): Generator<{ name: string; answer: Answer }> {
  for (const { name, folder, reader } of providers()) {
    for (const fixture of fixturesIn(folder, 'answers')) {
      const answer = reader.answer(fixture)
      if (answer !== null) yield { name: `${name}/${fixture.name}`, answer }
    }
  }
  for (const { name, fixture } of chatFixtures('answers')) {
    const answer = readChatAnswer(parseBuffer(fixture.bytes))
    if (answer.choices.length > 0) yield { name, answer }
  }
}

function expectRecorded(found: unknown, expectedPath: string) {
  if (process.env['UPDATE_FIXTURES'] === '1')
    writeFileSync(expectedPath, `${JSON.stringify(found, null, 2)}\n`)
  expect(JSON.parse(JSON.stringify(found))).toEqual(JSON.parse(readFileSync(expectedPath, 'utf8')))
}

test('every client gets the recorded bytes of every recorded stream', () => {
  const found = Object.fromEntries(
    [...streams()].map(({ name, chunks, upstream }) => {
      const relayed = Object.keys(CLIENTS).map((client) => {
        const summary = describe(relayStream(upstream, clientOf(client), chunks))
        return [client, summary] as const
      })
      const [first] = relayed
      for (const [, { observed }] of relayed) expect(observed).toEqual(first?.[1].observed)
      const native = upstream && CLIENTS[upstream.descriptor.dialect]
      const same = native
        ? passStream(upstream, clientOf(upstream.descriptor.dialect), chunks)
        : null
      const clients = Object.fromEntries(relayed.map(([client, one]) => [client, one.client]))
      return [name, { ...first?.[1].observed, clients, ...(same ? { same: describe(same) } : {}) }]
    }),
  )
  expectRecorded(found, EXPECTED)
})

test('every client gets the recorded bytes of every recorded answer', () => {
  const found = Object.fromEntries(
    [...answers()].map(({ name, answer }) => {
      const { usage, outputText } = summaryOf(answer, '')
      const charged = { usage: usage ?? METERED, bytes: 0 }
      const written = Object.keys(CLIENTS).map((client) => {
        const body = finish(clientOf(client).answer(answer, charged)).toString()
        const text = body.replaceAll(UUID, 'uuid')
        return [client, `${digestOf(text)} (${text.length})`] as const
      })
      const clients = Object.fromEntries(written)
      return [name, { usage, said: digestOf(outputText()), clients }]
    }),
  )
  expectRecorded(found, EXPECTED_ANSWERS)
})
