import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenAI } from '@ai-sdk/openai'
import { type ModelMessage, streamText } from 'ai'
import OpenAI from 'openai'
import type { Response } from 'openai/resources/responses/responses'
import { afterEach, expect, test } from 'vitest'
import {
  answerStream,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../testing/fakes/scripted-upstream.ts'
import { type DatabaseKind, DATABASES, openTestDatabase } from '../testing/harness/databases.ts'
import { type RunningServer, startServer } from '../testing/harness/start-server.ts'
import { waitUntil } from '../testing/harness/wait-until.ts'

const KEY = 'sk-testsofstoredresponses000000000000000'
const MODEL = 'gpt-4.1'
const TURNS = 50
const KILLED_AFTER = 25

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Servers that share a database; on SQLite a single server, since that is one machine's file. */
async function setUp(kind: DatabaseKind) {
  const upstream = await startScriptedUpstream()
  closing.push(() => upstream.close())
  const place = await openTestDatabase(kind)
  closing.push(() => place.close())
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-stored-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const { databaseUrl } = place
  const start = async (name: string) => {
    const server = await startServer({
      SECRET_KEY: 'one key for all of them',
      INITIAL_ROOT_TOKEN: KEY,
      DATA_DIR: databaseUrl === undefined ? place.dataDir : join(folder, name),
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    })
    closing.push(() => server.stop('SIGTERM'))
    return server
  }
  const first = await start('a')
  const second = databaseUrl === undefined ? first : await start('b')
  await addChannel(first, upstream)
  for (const { url } of [first, second]) await waitUntil(() => isListed(url))
  return { upstream, start, first, second }
}

async function addChannel({ url }: RunningServer, upstream: ScriptedUpstream) {
  const signIn = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'root', password: '123456' }),
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const channel = { name: 'c', type: 1, key: 'k', models: MODEL, group: 'default' }
  const added = await fetch(`${url}/api/channel/`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ ...channel, base_url: upstream.baseUrl('p') }),
  })
  expect(await added.json()).toMatchObject({ success: true })
}

const isListed = async (url: string) =>
  (await fetch(`${url}/v1/models/${MODEL}`, { headers: { authorization: `Bearer ${KEY}` } })).ok

const piece = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const ANSWER = answerStream([
  piece({ reasoning_content: 'hm' }),
  piece({ content: 'yes' }),
  piece({}, 'stop'),
  'data: [DONE]\n\n',
])

/** Earlier answers in the last request that the provider received. */
const lastAnswers = (upstream: ScriptedUpstream) =>
  (upstream.requestsOf('p').at(-1)?.body.toString() ?? '').split('"yes"').length - 1

/** A turn of the AI SDK, which refers to earlier items. */
async function aiTurn({ url }: RunningServer, messages: ModelMessage[], content: string) {
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY })
  messages.push({ role: 'user', content })
  const answer = streamText({ model: openai(MODEL), messages, maxRetries: 0 })
  expect(await answer.text).toBe('yes')
  messages.push(...(await answer.finalStep).response.messages)
}

/** A turn of OpenAI's SDK, which names the previous response. */
async function openaiTurn({ url }: RunningServer, previous: string | null, input: string) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 })
  const response: Response = await client.responses
    .stream({ model: MODEL, input, previous_response_id: previous })
    .finalResponse()
  expect(response).toMatchObject({ output_text: 'yes', store: true })
  expect(response.previous_response_id).toBe(previous)
  return response.id
}

test.each(DATABASES)(
  'conversations of fifty turns survive kill -9 and go from node to node, on %s',
  async (kind) => {
    const { upstream, start, first, second } = await setUp(kind)
    upstream.script('p', ANSWER)
    let servers: [RunningServer, RunningServer] = [first, second]
    const messages: ModelMessage[] = []
    let previous: string | null = null
    for (let turn = 0; turn < TURNS; turn += 1) {
      const server = turn % 2 === 0 ? servers[0] : servers[1]
      await aiTurn(server, messages, `question ${turn}`)
      expect(lastAnswers(upstream)).toBe(turn)
      previous = await openaiTurn(server, previous, `question ${turn}`)
      expect(lastAnswers(upstream)).toBe(turn)
      if (turn !== KILLED_AFTER) continue
      await first.stop('SIGKILL')
      const again = await start('a')
      servers = [again, second === first ? again : second]
    }
    expect(upstream.requestsOf('p')).toHaveLength(2 * TURNS)
  },
)
