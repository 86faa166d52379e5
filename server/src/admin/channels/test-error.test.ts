import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import {
  channelForm,
  type ControlPlane,
  idsOf,
  openControlPlane,
  type Person,
} from '../../../testing/control-plane.ts'
import { DATABASES } from '../../../testing/databases.ts'

const REASON = 'The upstream answered with status 500.'

describe.each(DATABASES)('why a test failed, on %s', (kind) => {
  let plane: ControlPlane
  let admin: Person
  let server: Server
  let answer: (response: ServerResponse) => unknown

  const fail = (response: ServerResponse) => response.writeHead(500).end()
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const pass = (response: ServerResponse, more: object = { usage }) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        model: 'gpt-4o',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' },
        ],
        ...more,
      }),
    )

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    admin = await plane.addPerson(ROLE.admin)
    server = createServer((request, response) => {
      request.resume().on('end', () => answer(response))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => server.closeAllConnections())
  afterAll(async () => {
    server.close()
    await plane.close()
  })

  const address = () => {
    const bound = server.address()
    if (bound === null || typeof bound === 'string') throw new Error('no port')
    return `http://127.0.0.1:${bound.port}`
  }

  const runTest = (id: number) => plane.call('GET', `/api/channel/test/${id}`, { as: admin })

  const save = (body: object) => plane.call('PUT', '/api/channel/', { as: admin, body })

  async function shownError(id: number, language = 'en') {
    const headers = { 'accept-language': language }
    const { data } = await plane.call('GET', `/api/channel/${id}`, { as: admin, headers })
    return (data as { test_error: string }).test_error // Safe because this is a channel.
  }

  async function createFailed() {
    const form = { ...channelForm, base_url: address() }
    const [id = 0] = idsOf(await plane.call('POST', '/api/channel/', { as: admin, body: form }))
    answer = fail
    expect((await runTest(id)).success).toBe(false)
    return id
  }

  test('is told in the language of the reader until a test passes', async () => {
    const id = await createFailed()
    expect(await shownError(id)).toBe(REASON)
    expect(await shownError(id, 'zh')).toBe('上游返回 HTTP 500。')
    answer = (response) => pass(response, {})
    expect((await runTest(id)).success).toBe(false)
    expect(await shownError(id, 'zh')).toBe('上游的回答没有报告用量。')
    answer = pass
    expect((await runTest(id)).success).toBe(true)
    expect(await shownError(id)).toBe('')
  })

  test.each([
    ['a new key', { key: 'sk-another' }],
    ['another provider', { type: 8 }],
    ['another address', { base_url: 'https://b.example', key: 'sk-x' }],
    ['another proxy', { config: '{"proxy":"http://127.0.0.1:1"}', key: 'sk-x' }],
  ])('goes with %s', async (_, edit) => {
    const id = await createFailed()
    const saved = await save({ id, ...edit })
    expect(saved.success, saved.message).toBe(true)
    expect(await shownError(id)).toBe('')
  })

  test('stays with another name, and with a whole row that is sent back', async () => {
    const id = await createFailed()
    await save({ id, name: 'renamed' })
    const { data } = await plane.call('GET', `/api/channel/${id}`, { as: admin })
    await save(data as object) // Safe because this is a channel.
    expect(await shownError(id)).toBe(REASON)
  })

  test('is not that of what the channel was before', async () => {
    const id = await createFailed()
    await save({ id, key: 'sk-another' })
    const asked = Promise.withResolvers<ServerResponse>()
    answer = asked.resolve
    const running = runTest(id)
    const response = await asked.promise
    await save({ id, key: 'sk-a-third' })
    fail(response)
    expect((await running).success).toBe(false)
    expect(await shownError(id)).toBe('')
  })
})
