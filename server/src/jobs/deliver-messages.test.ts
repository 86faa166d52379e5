import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ROLE, USER_STATUS } from '@tollgate/contract'
import { openHttpsServer } from '../../testing/fakes/https-server.ts'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { openOutboxWorld } from '../../testing/worlds/outbox-world.ts'
import { setRow } from '../../testing/worlds/rows.ts'
import { MAIL_RULES } from '../integrations/mail.ts'
import { deriveSecrets } from '../secrets.ts'
import type { Message } from '../text/message.ts'
import { deliverDue, startDelivering } from './deliver-messages.ts'

const MINUTE_MS = 60_000

const inUse: Message = { type: 'address-in-use', to: 'bob@example.com', language: 'en' }
const alert: Message = {
  type: 'channel-alert',
  channel_id: 7,
  name: 'main <b>',
  event: 'disabled',
  reason: 'Incorrect API key [x](https://evil.example)',
}

describe.each(DATABASES)('on %s', (kind) => {
  const world = openPerTest(() => openOutboxWorld(kind))

  const verification = (code = '123456'): Message => ({
    type: 'verification',
    to: 'bob@example.com',
    code_sealed: world.secrets.sealMessage(code),
    minutes: 10,
    language: 'zh',
  })

  const saidAbout = (type: string) => world.lines.filter((line) => line.includes(`"${type}"`))

  test('a code is mailed once, in the requested language, and deleted', async () => {
    const server = await world.withMail()
    await world.put(verification('902134'))
    await deliverDue(world.deps)
    await deliverDue(world.deps)
    expect(server.mails).toMatchObject([{ receivers: ['bob@example.com'] }])
    expect(server.mails[0]?.headers.get('subject')).toBe('[Tollgate] 邮箱验证码')
    expect(server.mails[0]?.text).toContain('902134')
    expect(server.mails[0]?.html).toContain('902134')
    expect(await world.waiting()).toEqual([])
    expect(world.lines).toEqual([])
  })

  test('several nodes on one database send each message once', async () => {
    const server = await world.withMail()
    for (let count = 0; count < 12; count++) await world.put(verification(`code${count}`))
    await Promise.all([deliverDue(world.deps), deliverDue(world.deps), deliverDue(world.deps)])
    expect(server.mails).toHaveLength(12)
    expect(new Set(server.mails.map(({ text }) => text)).size).toBe(12)
    expect(await world.waiting()).toEqual([])
  })

  test('a mail sent while the database was away is not sent again', async () => {
    const server = await world.withMail()
    await world.put(inUse)
    const { kysely } = world.database
    if (kind === 'sqlite') await sql`pragma foreign_keys = on`.execute(kysely)
    await sql`create table keepers (id bigint references outbox (id))`.execute(kysely)
    await sql`insert into keepers select id from outbox`.execute(kysely)
    const over = new Set<number>()
    await expect(deliverDue(world.deps, { over })).rejects.toThrow()
    expect([server.mails.length, over.size]).toEqual([1, 1])
    await sql`drop table keepers`.execute(kysely)
    world.clock.now += MINUTE_MS
    await deliverDue(world.deps, { over })
    expect([server.mails.length, over.size]).toEqual([1, 0])
    expect(await world.waiting()).toEqual([])
  })

  test('a message added by another node is sent too', async () => {
    const server = await world.withMail()
    const job = startDelivering(world.deps, { pollMs: 20 })
    const at = Math.floor(world.clock.now / 1000)
    for (const count of [1, 2]) {
      const row = { message: JSON.stringify(inUse), due_at: at, created_at: at }
      await world.database.kysely.insertInto('outbox').values(row).execute()
      await waitUntil(async () => server.mails.length === count)
    }
    await job.stop()
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test('a reset link is mailed', async () => {
    const server = await world.withMail()
    const link = 'https://gate.example/user/reset?email=bob%40example.com&token=abc'
    const link_sealed = world.secrets.sealMessage(link)
    const to = 'bob@example.com'
    await world.put({ type: 'reset', to, link_sealed, minutes: 10, language: 'en' })
    await deliverDue(world.deps)
    expect(server.mails[0]?.text).toContain(link)
    expect(server.mails[0]?.html).toContain(`href="${link.replaceAll('&', '&amp;')}"`)
  })

  test.each<[what: string, message: () => Message, minutes: number, lines: number]>([
    ['of type nothing', () => ({ type: 'nothing' }), 0, 0],
    ['that could not be sent for a day', () => inUse, 24 * 60 + 1, 1],
    ['whose code has expired', () => verification('902134'), 11, 1],
  ])('a message %s is dropped without a mail', async (_what, message, minutes, lines) => {
    const server = await world.withMail()
    await world.put(message())
    world.clock.now += minutes * MINUTE_MS
    await deliverDue(world.deps)
    expect([...server.mails, ...(await world.waiting())]).toEqual([])
    expect(world.lines).toHaveLength(lines)
    expect(world.lines.join()).not.toMatch(/902134|bob/)
  })

  test('five attempts are made, at growing intervals, and the log says why', async () => {
    const refusals = Array.from({ length: 6 }, () => '451 bob@example.com is greylisted')
    await world.withMail({ refusals })
    await world.put(inUse)
    for (const minutes of [1, 5, 15, 60]) {
      await deliverDue(world.deps)
      const [row] = await world.waiting()
      expect(row?.due_at).toBe(world.clock.now / 1000 + minutes * 60)
      world.clock.now += minutes * MINUTE_MS
    }
    await deliverDue(world.deps)
    expect(await world.waiting()).toEqual([])
    expect(refusals).toHaveLength(1)
    expect(saidAbout('address-in-use')).toHaveLength(2)
    expect(world.lines[0]).toContain('will be tried again')
    expect(world.lines[1]).toContain('could not be delivered')
    for (const line of world.lines) expect(line).toContain('451 *** is greylisted')
    expect(world.lines.join()).not.toContain('bob')
  })

  test('an unknown recipient ends the attempts at once', async () => {
    const refusals = ['550 no such user', '550 again']
    await world.withMail({ refusals })
    await world.put(inUse)
    await deliverDue(world.deps)
    expect(await world.waiting()).toEqual([])
    expect(world.lines).toHaveLength(1)
    expect(refusals).toHaveLength(1)
  })

  test('a row that cannot be read or decrypted is dropped and the next one is sent', async () => {
    const server = await world.withMail()
    const bad = ['{', '{"type":"unknown"}', '{"type":"reset","to":"bob@example.com"}', 'null']
    for (const message of bad) {
      const at = Math.floor(world.clock.now / 1000)
      const row = { message, due_at: at, created_at: at }
      await world.database.kysely.insertInto('outbox').values(row).execute()
    }
    const code_sealed = deriveSecrets('another master key').sealMessage('1')
    const to = 'bob@example.com'
    await world.put({ type: 'verification', to, code_sealed, minutes: 10, language: 'en' })
    await world.put(inUse)
    await deliverDue(world.deps)
    expect(server.mails).toHaveLength(1)
    expect(await world.waiting()).toEqual([])
    expect(world.lines).toHaveLength(bad.length + 1)
  })

  test('without a mail server codes are dropped with a log line, reminders without one', async () => {
    const id = await world.addUser('bob@example.com')
    await world.put(verification())
    await world.put({ type: 'quota-reminder', user_id: id, remaining: 5 })
    await deliverDue(world.deps)
    expect(await world.waiting()).toEqual([])
    expect(world.lines).toHaveLength(1)
    expect(saidAbout('verification')[0]).toContain('no mail server is set up')
  })

  test('a hanging mail server delays nothing for longer than its deadline', async () => {
    await world.withMail({ hangs: true })
    await world.put(inUse)
    await deliverDue({ ...world.deps, mailRules: { ...MAIL_RULES, totalMs: 200 } })
    expect(await world.waiting()).toMatchObject([{ tries: 1 }])
  })

  test("a reminder is sent to the user's current address, in both languages", async () => {
    const server = await world.withMail()
    await world.setOption('ServerAddress', 'https://gate.example/')
    const id = await world.addUser('old@example.com')
    const without = await world.addUser('')
    const banned = await world.addUser('banned@example.com', { status: USER_STATUS.disabled })
    await setRow(world, 'users', id, { email: 'new@example.com' })
    for (const user_id of [id, without, banned, 9999]) {
      await world.put({ type: 'quota-reminder', user_id, remaining: 250_000 })
    }
    await deliverDue(world.deps)
    expect(server.mails).toMatchObject([{ receivers: ['new@example.com'] }])
    const [got] = server.mails
    expect(got?.headers.get('subject')).toBe(
      '[Tollgate] 你的额度即将用尽 / Your quota is running low',
    )
    expect(got?.text).toContain('当前剩余额度 $0.50。')
    expect(got?.text).toContain('running low: $0.50 left.')
    expect(got?.text.match(/https:\/\/gate\.example\/topup\r?\n/g)).toHaveLength(2)
    const link = `https://gate.example/reminder/stop?user=${id}&signature=`
    expect(got?.text.replaceAll('=\r\n', '').split(link)).toHaveLength(3)
    expect(world.lines).toEqual([])
  })

  test('an owner receives a mail about changes of their second factors', async () => {
    const server = await world.withMail()
    const user_id = await world.addUser('owner@example.com')
    await world.put({ type: 'second-factor', user_id, event: 'totp_removed' })
    await deliverDue(world.deps)
    expect(server.mails).toMatchObject([{ receivers: ['owner@example.com'] }])
  })

  describe('an alert', () => {
    const pusher = openPerTest(() =>
      openHttpsServer({ '/push': { body: { success: true, message: '' } } }),
    )

    const usePusher = async () => {
      await world.setOption('MessagePusherAddress', `${pusher.url}/push`)
      await world.setOption('MessagePusherToken', 'push-token')
    }

    const addRoots = async () => {
      await world.addUser('root@example.com', { role: ROLE.root })
      await world.addUser('', { role: ROLE.root })
      await world.addUser('gone@example.com', { role: ROLE.root, status: USER_STATUS.disabled })
      await world.addUser('admin@example.com', { role: ROLE.admin })
    }

    test('is sent to the message pusher, in its form', async () => {
      const server = await world.withMail()
      await addRoots()
      await usePusher()
      await world.setOption('ServerAddress', 'https://gate.example')
      await world.put(alert)
      await deliverDue(world.deps)
      expect(pusher.requests).toMatchObject([{ method: 'POST', path: '/push' }])
      const sent: unknown = JSON.parse(pusher.requests[0]?.body ?? '')
      expect(sent).toEqual({
        title:
          '[Tollgate] 渠道“main <b>”已被自动禁用 / Channel "main <b>" was disabled automatically',
        description: expect.stringContaining('Incorrect API key [x](https://evil.example)'),
        content: expect.stringContaining(String.raw`\[x\](https://evil.example)`),
        url: 'https://gate.example/channel/7',
        channel: '',
        token: 'push-token',
      })
      expect(server.mails).toEqual([])
      expect(await world.waiting()).toEqual([])
      await world.setOption('ConsoleAddress', 'https://console.example')
      await world.put(alert)
      await deliverDue(world.deps)
      expect(JSON.parse(pusher.requests[1]?.body ?? '')).toMatchObject({
        url: 'https://console.example/channel/7',
      })
    })

    test.each([
      ['refuses', { body: { success: false, message: 'no push-token here' } }],
      ['fails', { status: 500, body: 'oops' }],
      ['answers something else', { body: ['success'] }],
    ])('is mailed to root when the pusher %s', async (_what, answer) => {
      const server = await world.withMail()
      await addRoots()
      await usePusher()
      pusher.route('/push', answer)
      await world.put(alert)
      await deliverDue(world.deps)
      expect(server.mails).toMatchObject([{ receivers: ['root@example.com'] }])
      expect(server.mails[0]?.html).toContain('main &lt;b&gt;')
      expect(await world.waiting()).toEqual([])
    })

    test('is mailed to root if there is no pusher', async () => {
      const server = await world.withMail()
      await addRoots()
      await world.put({ type: 'test-finished', total: 12, failed: 3, seconds: 45 })
      await deliverDue(world.deps)
      expect(server.mails).toMatchObject([{ receivers: ['root@example.com'] }])
      expect(server.mails[0]?.text).toContain('共 12 个，失败 3 个，用时 45 秒')
      expect(server.mails[0]?.text).toContain('12 tested, 3 failed, in 45 seconds')
    })

    test('is dropped with a log line if there is no way to send it', async () => {
      await usePusher()
      pusher.route('/push', { body: { success: false, message: 'wrong token push-token' } })
      await world.withMail()
      await world.put(alert)
      for (const minutes of [0, 1, 5, 15, 60]) {
        world.clock.now += minutes * MINUTE_MS
        await deliverDue(world.deps)
      }
      expect(await world.waiting()).toEqual([])
      expect(world.lines).toHaveLength(2)
      for (const line of world.lines) {
        expect(line).toContain('wrong token ***')
        expect(line).toContain('root has no email address')
      }
    })

    test('is sent neither to a pusher nor to a mail server in a forbidden network', async () => {
      const server = await world.withMail()
      await addRoots()
      await usePusher()
      await world.setOption('ChannelPrivateNetworksEnabled', 'false')
      await world.put(alert)
      for (const minutes of [0, 1, 5, 15, 60]) {
        world.clock.now += minutes * MINUTE_MS
        await deliverDue(world.deps)
      }
      expect([...pusher.requests, ...server.mails]).toEqual([])
      expect(world.lines[0]).toMatch(/message pusher: it is in a private network/)
      expect(world.lines[0]).toMatch(/the mail server is in a private network/)
    })

    test('waits for an unreachable pusher', async () => {
      await usePusher()
      pusher.route('/push', { status: 503, body: 'maintenance' })
      await world.put(alert)
      await deliverDue(world.deps)
      expect(await world.waiting()).toHaveLength(1)
      pusher.route('/push', { body: { success: true, message: '' } })
      world.clock.now += MINUTE_MS
      await deliverDue(world.deps)
      expect(await world.waiting()).toEqual([])
      expect(pusher.requests).toHaveLength(2)
      expect(world.lines).toHaveLength(1)
      expect(world.lines[0]).toContain('will be tried again')
    })
  })

  test('a message added here is sent at once, and none after the stop', async () => {
    const server = await world.withMail()
    const job = startDelivering(world.deps, { pollMs: 60_000 })
    for (const count of [1, 2, 3]) {
      await world.put(inUse)
      await waitUntil(async () => server.mails.length === count)
    }
    await job.stop()
    await world.put(inUse)
    expect(await world.waiting()).toHaveLength(1)
  })

  test('an unreachable database is one log line, however often it is polled', async () => {
    const { kysely } = world.database
    let looks = 0
    const now = () => {
      looks += 1
      return world.clock.now
    }
    await sql`alter table outbox rename to away`.execute(kysely)
    const job = startDelivering({ ...world.deps, now }, { pollMs: 1 })
    await waitUntil(async () => looks > 40)
    await sql`alter table away rename to outbox`.execute(kysely)
    await waitUntil(async () => world.lines.length > 1)
    await job.stop()
    expect(world.lines).toHaveLength(2)
    expect(world.lines[0]).toContain('the outbox cannot be processed')
    expect(world.lines[1]).toContain('the outbox is processed again')
  })

  test('stopping waits for running deliveries and starts no new one', async () => {
    const server = await world.withMail()
    for (let count = 0; count < 8; count++) await world.put(inUse)
    const stopping = new AbortController()
    const round = deliverDue(world.deps, { stopping: stopping.signal })
    await waitUntil(async () => server.mails.length > 0)
    stopping.abort()
    await round
    expect((await world.waiting()).length + server.mails.length).toBe(8)
  })
})
