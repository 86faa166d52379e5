import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenAI } from '@ai-sdk/openai'
import { type ModelMessage, streamText } from 'ai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  answerStream,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../testing/fakes/scripted-upstream.ts'
import { type RunningServer, startServer } from '../testing/harness/start-server.ts'
import { waitUntil } from '../testing/harness/wait-until.ts'

const KEY = 'sk-testsofseveralworkers00000000000000'
const TURNS = 50

let folder: string
let server: RunningServer
let upstream: ScriptedUpstream

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-workers-'))
  upstream = await startScriptedUpstream()
  const DATA_DIR = join(folder, 'data')
  server = await startServer({ DATA_DIR, WORKERS: '2', INITIAL_ROOT_TOKEN: KEY, LOG_LEVEL: 'info' })
  await waitUntil(async () => server.output().split('a worker is ready').length > 2)
})

afterEach(async () => {
  await server.stop('SIGTERM')
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

/** Each request opens a connection, so the workers answer in turn. */
const onNewConnection: typeof fetch = (address, request = {}) =>
  fetch(address, {
    ...request,
    headers: { ...Object.fromEntries(new Headers(request.headers)), connection: 'close' },
  })

async function addChannel() {
  const signIn = await fetch(`${server.url}/api/user/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'root', password: '123456' }),
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const channel = { name: 'c', type: 1, key: 'k', models: 'gpt-4.1', group: 'default' }
  const added = await fetch(`${server.url}/api/channel/`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ ...channel, base_url: upstream.baseUrl('p') }),
  })
  expect(await added.json()).toMatchObject({ success: true })
  const isListed = async () => {
    const headers = { authorization: `Bearer ${KEY}`, connection: 'close' }
    return (await fetch(`${server.url}/v1/models/gpt-4.1`, { headers })).ok
  }
  await waitUntil(async () => (await isListed()) && (await isListed()) && (await isListed()))
}

const piece = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

test('a conversation by references to earlier items is answered by workers in turn', async () => {
  upstream.script(
    'p',
    answerStream([
      piece({ reasoning_content: 'hm' }),
      piece({ content: 'yes' }),
      piece({}, 'stop'),
      'data: [DONE]\n\n',
    ]),
  )
  await addChannel()
  const openai = createOpenAI({
    baseURL: `${server.url}/v1`,
    apiKey: KEY,
    fetch: onNewConnection,
  })
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({ role: 'user', content: `question ${turn}` })
    const answer = streamText({ model: openai('gpt-4.1'), messages, maxRetries: 0 })
    expect(await answer.text).toBe('yes')
    messages.push(...(await answer.finalStep).response.messages)
  }
  const bodies = upstream.requestsOf('p').map(({ body }) => body.toString())
  expect(bodies).toHaveLength(TURNS)
  expect(bodies.at(-1)?.split('"yes"').length).toBe(TURNS)
})
