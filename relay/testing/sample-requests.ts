import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { type JsonRecord, member, textOf } from '../src/bytes/json-value.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { requestOf } from './client-request.ts'
import { ABOUT, fixturesIn, parseBuffer } from './fixture-pairs.ts'
import { readTapes, wireAt } from './tapes.ts'
import { conversation } from './vendors/conversations.ts'
import { CLIENTS } from './vendors/sent-requests.ts'

/* Chats of every kind: fixtures, tapes and generated conversations. */

type SampleRequest = {
  readonly name: string
  readonly dialect: ClientDialect
  readonly body: JsonRecord
}

const SAMPLE = { seed: 5, numRuns: 40 }
const CHAT_PATH = '/v1/chat/completions'
const CHATS = /\/chat\/completions$|\/messages$|\/responses$|:(?:stream)?[gG]enerateContent/

const generated = fc.sample(conversation, SAMPLE).flatMap((given, at) =>
  Object.entries(CLIENTS).map(([client, { dialect, write }]) => ({
    name: `${client} ${at}`,
    dialect: dialect(),
    body: write(given),
  })),
)

const recorded = readTapes().flatMap(({ agent, double, requests }) =>
  requests.map(({ path: requestPath, body }, at) => ({
    name: `${agent} ${double} ${at}`,
    dialect: wireAt(requestPath).dialect,
    body,
  })),
)

const SOURCES = path.join(import.meta.dirname, '../src')

/** Chats of the fixture pairs, and what other dialects read. */
const fixtures = ['providers', 'wires'].flatMap((kind) =>
  readdirSync(path.join(SOURCES, kind)).flatMap((folder) => {
    const at = path.join(SOURCES, kind, folder, '__fixtures__')
    const about: unknown = existsSync(at) ? parseBuffer(readFileSync(path.join(at, ABOUT))) : {}
    const ownPath = kind === 'providers' ? CHAT_PATH : textOf(member(about, 'path'))
    return fixturesIn(at, 'requests').flatMap(({ name, bytes }) =>
      [parseBuffer(bytes)].flat().flatMap((given, index) => {
        const { path: requestPath = ownPath, body } = requestOf(given)
        if (!CHATS.test(requestPath)) return []
        const { dialect } = wireAt(requestPath)
        return [{ name: `${folder} ${name} ${index}`, dialect, body }]
      }),
    )
  }),
)

export const sampleRequests = (): readonly SampleRequest[] => [
  ...generated,
  ...recorded,
  ...fixtures,
]
