import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { member } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { descriptorOf } from '../src/catalogue.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { RELAY_PATHS, type TextEndpoint } from '../src/provider.ts'
import type { Usage } from '../src/usage/usage.ts'
import { ChatStream } from '../src/watch/chat-stream.ts'
import { StreamObserver } from '../src/watch/stream-observer.ts'
import { anthropicDialect } from '../src/wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { geminiCallAt, geminiDialect } from '../src/wires/gemini/dialect.ts'
import { openaiDialect } from '../src/wires/openai-chat/dialect.ts'
import { encodeRequest } from '../src/wires/openai-chat/encode-request.ts'
import { answerIn } from '../src/wires/openai-chat/testing/chat.ts'
import { createResponsesDialect } from '../src/wires/openai-responses/dialect.ts'
import { cipherFor } from '../src/wires/openai-responses/testing/readable-cipher.ts'
import { type ClientRequest, NOW, requestOf } from './client-request.ts'
import { ABOUT, splitOffsets, type Fixture, parseBuffer, testPairs } from './fixture-pairs.ts'

const OPENAI = 1
const CUTS_MAX = 1000

/** The dialects of clients. */
const DIALECTS: Readonly<Record<string, (path: string) => ClientDialect>> = {
  anthropic: () => anthropicDialect(cipherFor),
  openai: () => openaiDialect,
  gemini: (requestPath) => {
    const { pathname, search } = new URL(requestPath, 'http://localhost')
    return geminiDialect(geminiCallAt(pathname, search.slice(1)), cipherFor)
  },
  responses: () => createResponsesDialect({ cipherFor, now: () => NOW }),
}

/** The folders of the dialects' fixture pairs, in the folders of their wires. */
export const DIALECT_FIXTURES: Readonly<Record<string, string>> = {
  anthropic: fixturesOf('anthropic-messages'),
  gemini: fixturesOf('gemini'),
  openai: fixturesOf('openai-chat'),
  responses: fixturesOf('openai-responses'),
}

function fixturesOf(wire: string): string {
  return path.join(import.meta.dirname, '../src/wires', wire, '__fixtures__')
}

/** The dialect that reads requests to a path. */
export function dialectOf(name: string, requestPath: string): ClientDialect {
  const dialectAt = DIALECTS[name]
  if (dialectAt === undefined) throw new Error(`${name} is no dialect of clients`)
  return dialectAt(requestPath)
}

type About = {
  /** The vendor's pages that the fixtures follow. */
  readonly source: readonly string[]
  /** The path of requests that name none. */
  readonly path: string
  /** What an answer or a stream without a `.request.json` answers. */
  readonly request: ClientRequest
}

/** The metered usage, for answers without usage. */
const METERED: Usage = {
  promptTokens: 10,
  cachedTokens: 4,
  cacheWriteTokens: 1,
  completionTokens: 3,
  reasoningTokens: 0,
}

/** Tests a dialect of clients by the pairs in a folder. */
export function testDialect(name: string, folder: string): void {
  // Safe because a wrong value fails the tests of the folder.
  const about = JSON.parse(readFileSync(path.join(folder, ABOUT), 'utf8')) as About
  const translated = (given: unknown) => {
    const request = { path: about.path, ...requestOf(given) }
    return translate(dialectOf(name, request.path), request)
  }
  /** The dialect of one request, which it has read. */
  const afterRequest = ({ request = about.request }: Fixture) => {
    const given = { path: about.path, ...requestOf(request) }
    const dialect = dialectOf(name, given.path)
    const read = finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(given.body)), {}))
    if (isRequestProblem(read)) throw new Error(read.message)
    return { dialect, endpoint: read.endpoint }
  }
  testPairs(folder, {
    requests: ({ bytes }) => {
      const given: unknown = JSON.parse(bytes.toString())
      return Array.isArray(given) ? given.map(translated) : translated(given)
    },
    answers: (fixture) => {
      const { dialect, endpoint } = afterRequest(fixture)
      return endpoint === 'embeddings'
        ? parseBuffer(finish(dialect.embeddings(fixture.bytes)))
        : answerIn(dialect, fixture.bytes, METERED)
    },
    streams: (fixture) => encodedStream(fixture.bytes, afterRequest(fixture).dialect),
  })
}

/** The events that the client gets, which are the same wherever the stream is cut. */
function encodedStream(bytes: Buffer, { createEncoder, streamType }: ClientDialect): unknown {
  const encodeChunks = (chunks: readonly Buffer[]): string => {
    const encoder = createEncoder()
    const observer = new StreamObserver()
    const stream = new ChatStream(observer)
    const output = chunks.map((chunk) => encoder.write(stream.read(chunk)))
    const { withheldUsage: reported } = observer
    const head = { ...observer.head, model: observer.model ?? '' }
    const usage = reported && { head, promptTokens: 0, completionTokens: 0, reported }
    return output.join('') + encoder.write(stream.readEnd()) + encoder.end(usage)
  }
  const unsplit = encodeChunks([bytes])
  for (const at of splitOffsets(bytes, CUTS_MAX)) {
    const split = encodeChunks([bytes.subarray(0, at), bytes.subarray(at)])
    if (split !== unsplit) expect(split, `cut at ${at}`).toBe(unsplit)
  }
  const single = Array.from(bytes, (byte) => Buffer.from([byte]))
  expect(encodeChunks(single), 'byte by byte').toBe(unsplit)
  return streamType === 'application/json' ? JSON.parse(unsplit) : eventsIn(unsplit)
}

/** An event that is not named by its type keeps its name; a comment is its text. */
function eventsIn(text: string): unknown[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((block) => block !== '')
    .map((block) => {
      const [, name, data] = /^(?:event: (.*)\n)?data: (.*)$/.exec(block) ?? []
      if (data === undefined) return block
      const json: unknown = JSON.parse(data)
      return name === undefined || member(json, 'type') === name
        ? json
        : { event: name, data: json }
    })
}

/**
 * The request for a provider that speaks OpenAI's dialect, and the form from which all others are
 * written. `onlyNative` is what only the dialect's own provider can serve.
 */
function translate(dialect: ClientDialect, given: ClientRequest) {
  const body = Buffer.from(JSON.stringify(given.body))
  const request = finish(dialect.readRequest(textEndpointAt(given.path), body, {}))
  if (isRequestProblem(request)) return { refused: request.param, message: request.message }
  const { native, endpoint } = request
  const model = given.model ?? request.model
  if (native?.obstacle) {
    return { onlyNative: native.obstacle.param, message: native.obstacle.message }
  }
  const descriptor = descriptorOf(OPENAI)
  if (descriptor === undefined) throw new Error('there is no channel type of OpenAI')
  const openai: unknown = JSON.parse(encodeRequest(request, { model, descriptor }).toString())
  const form = request.form?.get() ?? request.json()
  const isSame = JSON.stringify(form) === JSON.stringify(openai)
  return { endpoint, openai, ...(isSame ? {} : { form }) }
}

/** Paths of other dialects than OpenAI's are those of chats; their requests name the endpoint. */
function textEndpointAt(requestPath: string | undefined): TextEndpoint {
  if (requestPath === RELAY_PATHS.completions) return 'completions'
  return requestPath === RELAY_PATHS.embeddings ? 'embeddings' : 'chat'
}
