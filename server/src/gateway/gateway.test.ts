import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerChat,
  chunk,
  DONE,
  gatedStream,
  WHOLE_STREAM,
} from '../../testing/fakes/scripted-upstream.ts'
import { rawCall } from '../../testing/harness/raw-call.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import {
  ASKED,
  expectJson,
  expectRefusal,
  readError,
  setUp,
  shareWorld,
  STREAMED,
} from '../../testing/worlds/relay-scenario.ts'

const good = answerChat()

/** For tests that leave nothing behind. */
const shared = shareWorld(good)

test('unknown paths and methods get an error body that clients of this API family read', async () => {
  const paths: [string, string][] = [
    ['GET', '/v1/chat/completions'],
    ['POST', '/v1/models'],
    ['POST', '/v1/nothing'],
    ['POST', '/v1/batches_of'],
    ['POST', '/v1/chat/completions/%00'],
    ['GET', '/v1'],
  ]
  for (const [method, path] of paths) {
    const response = await fetch(shared.url + path, { method })
    expect(response.status).toBe(404)
    const { message, ...rest } = await readError(response)
    expect(message).toContain(`Invalid URL (${method} ${path})`)
    expect(rest).toEqual({ type: 'invalid_request_error', param: '', code: '' })
  }
})

test.each([
  ['GET', '/models', '/v1/models', 'Add /v1 to'],
  ['GET', '/models/gpt-4o', '/v1/models/gpt-4o', 'Add /v1 to'],
  ['POST', '/chat/completions', '/v1/chat/completions', 'Add /v1 to'],
  ['POST', '/chat/completions/?x=1', '/v1/chat/completions', 'Add /v1 to'],
  ['POST', '/embeddings', '/v1/embeddings', 'Add /v1 to'],
  ['POST', '/responses', '/v1/responses', 'Add /v1 to'],
  ['POST', '/images/generations', '/v1/images/generations', 'Add /v1 to'],
  ['GET', '/realtime?model=m', '/v1/realtime', 'Add /v1 to'],
  ['POST', '/v1/v1/chat/completions', '/v1/chat/completions', 'Remove /v1 from'],
  ['POST', '/v1/v1/v1/responses', '/v1/responses', 'Remove /v1/v1 from'],
  ['GET', '/v1/v1/models', '/v1/models', 'Remove /v1 from'],
  ['GET', '/openai/v1/models', '/v1/models', 'Remove /openai from'],
  ['POST', '/api/v1/chat/completions', '/v1/chat/completions', 'Remove /api from'],
  ['POST', '/v1//chat/completions', '/v1/chat/completions', 'Correct'],
])('%s %s names the right address', async (method, path, meant, correction) => {
  const response = await fetch(shared.url + path, { method })
  expect(response.status).toBe(404)
  const { message, ...rest } = await readError(response)
  expect(message).toContain(`The address is ${meant}. ${correction} the base URL of the client.`)
  expect(rest).toEqual({ type: 'invalid_request_error', param: '', code: '' })
})

test('a wrong address is refused in the dialect of its client', async () => {
  const errorAt = async (path: string) => {
    const response = await fetch(shared.url + path, { method: 'POST' })
    return { status: response.status, ...z.looseObject({}).parse(await response.json()) }
  }
  for (const path of ['/messages', '/v1/v1/messages?beta=true', '/v1/v1/messages/count_tokens']) {
    expect(await errorAt(path)).toMatchObject({
      status: 404,
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringContaining('is /v1/messages') },
    })
  }
  const call = '/models/gemini-2.5-pro:generateContent'
  for (const path of [call, `/v1/v1beta${call}`, `/v1beta/v1beta${call}`]) {
    expect(await errorAt(path)).toMatchObject({
      status: 404,
      error: { status: 'NOT_FOUND', message: expect.stringContaining(`is /v1beta${call}`) },
    })
  }
})

test('a WebSocket that a proxy has taken apart is refused with the status on which clients fall back to HTTP', async () => {
  const head = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const answer = await rawCall(shared.url, `GET /v1/responses HTTP/1.1\r\nHost: x\r\n${head}\r\n`)
  expect(answer.status).toBe(426)
  expect(answer.headers.get('upgrade')).toEqual(['HTTP/1.1'])
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'websocket_not_offered' } })
  // Without an upgrade the path still means the stored responses.
  expect((await fetch(`${shared.url}/v1/responses`)).status).toBe(404)
})

test('endpoints that are not offered say so', async () => {
  const paths: [string, string][] = [
    ['POST', '/v1/edits'],
    ['GET', '/v1/files/abc/content'],
    ['POST', '/v1/fine_tuning/jobs'],
    ['DELETE', '/v1/models/gpt-4o'],
    ['POST', '/v1/threads/x/messages'],
    ['POST', '/v1/batches'],
    ['POST', '/v1/batches/b/cancel'],
    ['GET', '/v1/vector_stores/v/files'],
    ['POST', '/v1/conversations'],
    ['POST', '/v1/uploads/u/parts'],
    ['GET', '/files'],
    ['POST', '/v1/v1/files'],
  ]
  for (const [method, path] of paths) {
    await expectRefusal(fetch(shared.url + path, { method }), 501, 'api_not_implemented')
  }
  for (const path of ['/v1/messages/batches', '/v1/messages/batches/b/results']) {
    await expectJson(fetch(shared.url + path), 501, {
      type: 'error',
      error: { type: 'api_error', message: expect.stringContaining('API not implemented') },
    })
  }
})

test('a trailing slash and a key without its prefixes are accepted', async () => {
  const bare = shared.key.replace('sk-', '')
  const response = await fetch(`${shared.url}/v1/chat/completions/?x=1`, {
    method: 'POST',
    headers: { authorization: bare, 'content-type': 'application/json' },
    body: JSON.stringify(ASKED),
  })
  expect(response.status).toBe(200)
})

test('a path of many slashes takes no noticeable time', async () => {
  const path = `/v1/${'/'.repeat(15_000)}x`
  const start = process.cpuUsage()
  for (let turn = 0; turn < 20; turn += 1) {
    expect((await fetch(shared.url + path)).status).toBe(404)
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000)
})

test("models are those the token may use and its owner's groups are served with", async () => {
  const world = await setUp(good, { token: { models: 'gpt-4o-mini,gpt-4o,served/here' } })
  const base_url = world.upstream.baseUrl('p0')
  await world.addChannel({ base_url, models: 'gpt-4o-mini,served/here,not-in-list' })
  await world.addChannel({ base_url, models: 'gpt-4o', group: 'vip' })
  const get = (path: string) =>
    fetch(`${world.url}/v1/models${path}`, { headers: { authorization: `Bearer ${world.key}` } })
  await waitUntil(async () => (await (await get('')).text()).includes('served/here'))
  expect(await (await get('')).json()).toEqual({
    object: 'list',
    data: [
      expect.objectContaining(entry('gpt-4o-mini', 'openai')),
      expect.objectContaining(entry('served/here', 'custom')),
    ],
  })
  expect(await (await get('/served/here')).json()).toMatchObject(entry('served/here', 'custom'))
  expect((await get('/served%2Fhere')).status).toBe(200)
  for (const name of ['/gpt-4o', '/not-in-list', '/constructor', '/%zz']) {
    await expectRefusal(get(name), 404, 'model_not_found')
  }
  expect((await fetch(`${world.url}/v1/models`)).status).toBe(401)
})

const entry = (id: string, owned_by: string) => ({
  id,
  object: 'model',
  created: 1_626_777_600,
  owned_by,
  root: id,
  parent: null,
})

test('an internal error is a 500 without detail, and voids the hold', async () => {
  const settle = () => Promise.reject(new TypeError('secret detail of a bug'))
  const world = await setUp(good, {
    withLedger: (ledger) => ({
      ...ledger,
      hold: async (context, amount) => {
        const outcome = await ledger.hold(context, amount)
        if (outcome.type === 'held') outcome.hold.settle = settle
        return outcome
      },
    }),
  })
  const response = await world.ask()
  expect(response.status).toBe(500)
  expect((await readError(response)).message).not.toContain('secret')
  await world.expectLog({ outcome: 'void', end_reason: 'internal_error' })
})

test('during shutdown, running requests finish and new ones are refused', async () => {
  const { script: slow, letGo: resolve } = gatedStream(
    chunk({ content: 'Hello' }),
    WHOLE_STREAM.slice(2),
  )
  const world = await setUp(slow)
  const running = await world.ask(STREAMED)
  let drained = false
  const draining = world
    .gateway()
    .shutDown()
    .then(() => (drained = true))
  await expectRefusal(world.ask(), 503, 'shutting_down')
  expect(drained).toBe(false)
  resolve()
  expect((await running.text()).endsWith(DONE)).toBe(true)
  await draining
  const { logs } = await world.books()
  expect(logs).toHaveLength(1)
  expect(world.calls()).toEqual([1])
})
