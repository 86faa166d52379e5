import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { openHttpsServer } from '../../testing/fakes/https-server.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { openOutboxWorld } from '../../testing/worlds/outbox-world.ts'
import { listAlerts } from '../store/alerts.ts'
import type { Message } from '../text/message.ts'
import { deliverDue } from './deliver-messages.ts'

const alert: Message = {
  type: 'channel-alert',
  channel_id: 7,
  name: 'main',
  event: 'disabled',
  reason: 'Incorrect API key',
}
const SECRET = 'a-secret-of-the-receiver'
const RETRY_MS = 70_000

/** Answers 200 only to what the real service accepts. */
const feishu = (body: string) => {
  const { timestamp, sign, msg_type, content } = JSON.parse(body)
  const wanted = createHmac('sha256', `${timestamp}\n${SECRET}`).digest('base64')
  if (sign !== wanted)
    return { code: 19021, msg: 'sign match fail or timestamp is not within one hour' }
  return msg_type === 'text' && typeof content.text === 'string'
    ? { code: 0, msg: 'success', data: {} }
    : { code: 9499, msg: 'Bad Request', data: {} }
}

describe('alert receivers', () => {
  const world = openPerTest(() => openOutboxWorld('sqlite'))
  const server = openPerTest(() => openHttpsServer())
  beforeEach(async () => {
    await world.setOption('ChannelPrivateNetworksEnabled', 'true')
  })

  /** Rounds until nothing is due. */
  const deliverAll = async () => {
    await deliverDue({ ...world.deps, env: { TELEGRAM_ADDRESS: server.url } })
    await deliverDue({ ...world.deps, env: { TELEGRAM_ADDRESS: server.url } })
  }
  const textOf = (path: string) => server.requestsTo(path).map(({ body }) => body)

  test('each receiver gets every alert once, in its own form', async () => {
    server.route('/hook', { status: 200, body: 'ok' })
    server.route('/feishu', ({ body }) => ({ status: 200, body: feishu(body) }))
    server.route('/bot123:abc/sendMessage', { status: 200, body: { ok: true, result: {} } })
    await world.setOption('ServerAddress', 'https://gate.example')
    await world.setOption('AlertWebhookAddress', `${server.url}/hook`)
    await world.setOption('AlertWebhookSecret', SECRET)
    await world.setOption('AlertFeishuAddress', `${server.url}/feishu`)
    await world.setOption('AlertFeishuSecret', SECRET)
    await world.setOption('AlertTelegramToken', '123:abc')
    await world.setOption('AlertTelegramChat', '@ops')
    await world.put(alert)
    await deliverAll()

    const [hook] = server.requestsTo('/hook')
    const told = JSON.parse(hook?.body ?? '')
    expect(told).toEqual({
      id: expect.any(Number),
      created_at: Math.floor(world.clock.now / 1000),
      type: 'channel-alert',
      subject: expect.stringContaining('Channel "main" was disabled'),
      text: expect.stringContaining('Incorrect API key'),
      url: 'https://gate.example/channel/7',
    })
    const timestamp = String(hook?.headers['x-tollgate-timestamp'])
    const signature = createHmac('sha256', SECRET)
      .update(`${timestamp}.${hook?.body}`)
      .digest('hex')
    expect(hook?.headers['x-tollgate-signature']).toBe(`sha256=${signature}`)
    expect(textOf('/feishu')).toEqual([expect.stringContaining('Channel \\"main\\" was disabled')])
    const [telegram] = textOf('/bot123:abc/sendMessage').map((body) => JSON.parse(body))
    expect(telegram).toMatchObject({
      chat_id: '@ops',
      text: expect.stringContaining('https://gate.example/channel/7'),
    })
    expect(await world.waiting()).toEqual([])
    expect(await listAlerts(world.database.kysely, 10)).toEqual([
      expect.objectContaining({ id: told.id, message: JSON.stringify(alert) }),
    ])
  })

  test('a long alert keeps its address and whole characters within the limit', async () => {
    server.route('/bot1:x/sendMessage', { status: 200, body: { ok: true } })
    await world.setOption('ServerAddress', 'https://gate.example')
    await world.setOption('AlertTelegramToken', '1:x')
    await world.setOption('AlertTelegramChat', '7')
    await world.put({ ...alert, reason: '🔥'.repeat(3000) })
    await world.put({ ...alert, reason: `.${'🔥'.repeat(3000)}` })
    await deliverAll()
    const texts: string[] = textOf('/bot1:x/sendMessage').map((body) => JSON.parse(body).text)
    expect(texts).toHaveLength(2)
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(4096)
      expect(text).toContain('🔥…')
      expect(text.endsWith('\n\nhttps://gate.example/channel/7')).toBe(true)
    }
  })

  test('a receiver that fails is tried again alone', async () => {
    server.route('/hook', { status: 503, body: 'busy' })
    server.route('/bot1:x/sendMessage', { status: 200, body: { ok: true } })
    await world.setOption('AlertWebhookAddress', `${server.url}/hook`)
    await world.setOption('AlertTelegramToken', '1:x')
    await world.setOption('AlertTelegramChat', '7')
    await world.put(alert)
    await deliverAll()
    world.clock.now += RETRY_MS
    server.route('/hook', { status: 204, body: '' })
    await deliverAll()
    expect(textOf('/hook')).toHaveLength(2)
    expect(textOf('/bot1:x/sendMessage')).toHaveLength(1)
    expect(world.lines.join('\n')).toContain('webhook: HTTP 503')
    const ids = (await world.waiting()).map(({ message }) => JSON.parse(message).type)
    expect(ids).not.toContain('alert-copy')
    expect(await listAlerts(world.database.kysely, 10)).toHaveLength(1)
  })

  test('what a service refuses is logged without its secret', async () => {
    server.route('/feishu', ({ body }) => ({ status: 200, body: feishu(body) }))
    const description = 'Unauthorized: 9:token'
    server.route('/bot9:token/sendMessage', { status: 401, body: { ok: false, description } })
    await world.setOption('AlertFeishuAddress', `${server.url}/feishu`)
    await world.setOption('AlertTelegramToken', '9:token')
    await world.setOption('AlertTelegramChat', '7')
    await world.put(alert)
    await deliverAll()
    const lines = world.lines.join('\n')
    expect(lines).toContain('feishu: sign match fail')
    expect(lines).toContain('telegram: Unauthorized: ***')
    expect(lines).not.toContain('9:token')
  })
})
