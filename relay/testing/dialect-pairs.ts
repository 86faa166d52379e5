import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { descriptorOf } from '../src/catalogue.ts'
import { anthropicDialect } from '../src/dialects/anthropic/dialect.ts'
import type { ClientDialect } from '../src/dialects/client-dialect.ts'
import { geminiCallAt, geminiDialect } from '../src/dialects/gemini/dialect.ts'
import { openaiDialect } from '../src/dialects/openai/dialect.ts'
import { encodeRequest } from '../src/dialects/openai/request.ts'
import { createResponsesDialect } from '../src/dialects/responses/dialect.ts'
import { member } from '../src/json-value.ts'
import { RELAY_PATHS, type TextEndpoint } from '../src/provider.ts'
import { isRequestProblem } from '../src/request-problem.ts'
import { finish } from '../src/steps.ts'
import type { Usage } from '../src/usage.ts'
import { type ClientRequest, requestOf } from './client-request.ts'
import { ABOUT, cutsOf, type Fixture, parsed, testPairs } from './fixture-pairs.ts'

const OPENAI = 1
const CUTS_MAX = 1000

/** The dialects of clients, by the name of their folder. */
const DIALECTS: Readonly<Record<string, (path: string) => ClientDialect>> = {
  anthropic: () => anthropicDialect,
  openai: () => openaiDialect,
  gemini: (requestPath) => {
    const { pathname, search } = new URL(requestPath, 'http://localhost')
    return geminiDialect(geminiCallAt(pathname, search.slice(1)))
  },
  responses: () => createResponsesDialect(),
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
  const dialectAt = DIALECTS[name]
  if (dialectAt === undefined) throw new Error(`${name} is no dialect of clients`)
  const translated = (given: unknown) => {
    const request = { path: about.path, ...requestOf(given) }
    return translate(dialectAt(request.path), request)
  }
  /** The dialect of one request, which it has read. */
  const asked = ({ request = about.request }: Fixture): ClientDialect => {
    const given = { path: about.path, ...requestOf(request) }
    const dialect = dialectAt(given.path)
    const read = finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(given.body)), {}))
    if (isRequestProblem(read)) throw new Error(read.message)
    return dialect
  }
  testPairs(folder, {
    requests: ({ bytes }) => {
      const given: unknown = JSON.parse(bytes.toString())
      return Array.isArray(given) ? given.map(translated) : translated(given)
    },
    answers: (fixture) => parsed(finish(asked(fixture).answer(fixture.bytes, METERED))),
    streams: (fixture) => spoken(fixture.bytes, asked(fixture)),
  })
}

/** The events that the client gets, which are the same wherever the stream is cut. */
function spoken(bytes: Buffer, { speak, streamType }: ClientDialect): unknown {
  const say = (pieces: readonly Buffer[]): string => {
    const speaker = speak()
    const said = pieces.flatMap((piece) => [...speaker.say([piece])])
    return Buffer.concat(said).toString() + speaker.end('')
  }
  const whole = say([bytes])
  for (const at of cutsOf(bytes, CUTS_MAX)) {
    const cut = say([bytes.subarray(0, at), bytes.subarray(at)])
    if (cut !== whole) expect(cut, `cut at ${at}`).toBe(whole)
  }
  const single = Array.from(bytes, (byte) => Buffer.from([byte]))
  expect(say(single), 'byte by byte').toBe(whole)
  return streamType === 'application/json' ? JSON.parse(whole) : eventsIn(whole)
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
 * The request for a provider that speaks OpenAI's dialect, and for a codec where that differs.
 * `onlyNative` is what only the dialect's own provider can serve.
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
  const codec = request.json()
  const isSame = JSON.stringify(codec) === JSON.stringify(openai)
  return { endpoint, openai, ...(isSame ? {} : { codec }) }
}

/** Paths of other dialects than OpenAI's are those of chats; their requests name the endpoint. */
function textEndpointAt(requestPath: string | undefined): TextEndpoint {
  if (requestPath === RELAY_PATHS.completions) return 'completions'
  return requestPath === RELAY_PATHS.embeddings ? 'embeddings' : 'chat'
}
