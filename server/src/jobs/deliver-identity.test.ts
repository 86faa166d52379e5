import { beforeEach, describe, expect, test } from 'vitest'
import { type OptionKey, ROLE } from '@tollgate/contract'
import { openHttpsServer } from '../../testing/fakes/https-server.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { openOutboxWorld } from '../../testing/worlds/outbox-world.ts'
import { listUnconfirmed } from '../settings/confirmation.ts'
import { deliverDue } from './deliver-messages.ts'

const MINUTE_MS = 60_000

const ADAM = { id: 10, username: 'adam', role: ROLE.admin }
const ROOT = { id: 1, username: 'root', role: ROLE.root }

const world = openPerTest(() => openOutboxWorld('sqlite'))
const now = () => Math.floor(world.clock.now / 1000)

const changeAs = (actor: typeof ADAM | typeof ROOT, key: OptionKey, value: string) =>
  world.deps.settings.update({ key, value }, { actor, language: 'en', nowSeconds: now() })

const confirmAll = async () => {
  const ids = (await listUnconfirmed(world.database.kysely)).map(({ id }) => id)
  await world.deps.settings.confirm(ids, { actor: ROOT, language: 'en', nowSeconds: now() })
}

describe('a pending reset link', () => {
  const LINK = 'https://gate.example/user/reset?email=x&token=secret-token'

  const putLink = (to: string) =>
    world.put({
      type: 'reset',
      to,
      link_sealed: world.secrets.sealMessage(LINK),
      minutes: 10,
      language: 'en',
    })

  test('is sent to an administrator only by a mail server that root has confirmed', async () => {
    const server = await world.withMail()
    await world.addUser('bob@example.com', { role: ROLE.admin })
    await world.addUser('ann@example.com')
    await putLink('bob@example.com')
    await putLink('ann@example.com')
    await changeAs(ADAM, 'SMTPFrom', 'evil@example.com')
    await deliverDue(world.deps)
    expect(server.mails).toMatchObject([{ receivers: ['ann@example.com'] }])
    const said = world.lines.filter((line) => line.includes('will be tried again'))
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('SMTPFrom')
    expect(said[0]).not.toMatch(/bob|secret-token/)
    await confirmAll()
    world.clock.now += MINUTE_MS
    await deliverDue(world.deps)
    expect(server.mails[1]).toMatchObject({ receivers: ['bob@example.com'] })
    expect(server.mails[1]?.text).toContain(LINK)
  })

  test('is dropped if root has not confirmed while it is valid', async () => {
    const server = await world.withMail()
    await world.addUser('bob@example.com', { role: ROLE.admin })
    await putLink('bob@example.com')
    await changeAs(ADAM, 'SMTPFrom', 'evil@example.com')
    for (const minutes of [0, 1, 5]) {
      world.clock.now += minutes * MINUTE_MS
      await deliverDue(world.deps)
    }
    world.clock.now += 15 * MINUTE_MS
    await confirmAll()
    await deliverDue(world.deps)
    expect(server.mails).toEqual([])
    expect(await world.waiting()).toEqual([])
    expect(world.lines.at(-1)).toContain('it is no longer valid')
  })

  test('is not sent by settings that were restored since they were read', async () => {
    const server = await world.withMail()
    await world.addUser('bob@example.com', { role: ROLE.admin })
    await putLink('bob@example.com')
    const { settings } = world.deps
    await changeAs(ADAM, 'SMTPFrom', 'evil@example.com')
    const stale = { values: settings.current(), version: settings.versionOf('reset_mail') }
    await changeAs(ADAM, 'SMTPFrom', '')
    const node = {
      ...settings,
      current: () => stale.values,
      versionOf: () => stale.version,
    }
    await deliverDue({ ...world.deps, settings: node })
    expect(server.mails).toEqual([])
    world.clock.now += MINUTE_MS
    await deliverDue(world.deps)
    expect(server.mails).toMatchObject([{ receivers: ['bob@example.com'] }])
  })
})

describe('the alert about changes that await root', () => {
  const pusher = openPerTest(() =>
    openHttpsServer({ '/push': { body: { success: true, message: '' } } }),
  )
  beforeEach(async () => {
    await world.addUser('root@example.com', { role: ROLE.root })
    await world.setOption('ServerAddress', 'https://gate.example')
  })
  const usePusher = () => world.setOption('MessagePusherAddress', `${pusher.url}/push`)

  const later = async (minutes: number) => {
    world.clock.now += minutes * MINUTE_MS
    await deliverDue(world.deps)
  }

  test('names options and authors after a minute, by pusher and by mail, without values and links', async () => {
    const server = await world.withMail()
    await usePusher()
    await changeAs(ADAM, 'ServerAddress', 'https://evil.example')
    await changeAs(ADAM, 'OidcClientSecret', 'the-secret-of-adam')
    await later(0)
    expect([server.mails.length, pusher.requests.length]).toEqual([0, 0])
    await later(1)
    expect(server.mails).toMatchObject([{ receivers: ['root@example.com'] }])
    const { text = '', html = '' } = server.mails[0] ?? {}
    for (const part of [
      'adam',
      '服务器地址 (ServerAddress)、OIDC Client Secret',
      'Server address',
    ]) {
      expect(text).toContain(part)
    }
    const pushed = pusher.requests[0]?.body ?? ''
    expect(JSON.parse(pushed)).toMatchObject({ url: '' })
    expect(text + html + pushed).not.toMatch(/https?:|evil|the-secret/)
    expect(await world.waiting()).toEqual([])
  })

  test('is not sent once nothing awaits root any more', async () => {
    const server = await world.withMail()
    await changeAs(ADAM, 'OidcClientId', 'evil')
    await confirmAll()
    await later(1)
    expect(server.mails).toEqual([])
    expect(await world.waiting()).toEqual([])
  })

  test('is sent again for a later change', async () => {
    const server = await world.withMail()
    await changeAs(ADAM, 'OidcClientId', 'evil')
    await later(1)
    await changeAs(ADAM, 'LarkClientId', 'evil')
    await later(1)
    expect(server.mails).toHaveLength(2)
    expect(server.mails[1]?.text).toContain('LarkClientId')
  })

  test('is mailed again if the pusher accepted it and the mail server refused temporarily', async () => {
    const server = await world.withMail({ refusals: ['451 later'] })
    await usePusher()
    await changeAs(ADAM, 'OidcClientId', 'evil')
    await later(1)
    expect([server.mails.length, pusher.requests.length]).toEqual([0, 1])
    await later(1)
    expect(server.mails).toHaveLength(1)
  })

  test('by the pusher alone is sufficient without a mail server', async () => {
    await usePusher()
    await changeAs(ADAM, 'OidcClientId', 'evil')
    await later(1)
    expect(pusher.requests).toHaveLength(1)
    expect(await world.waiting()).toEqual([])
    expect(world.lines.filter((line) => line.includes('could not be delivered'))).toEqual([])
  })

  test('is dropped with a log line without either', async () => {
    await changeAs(ADAM, 'OidcClientId', 'evil')
    await later(1)
    expect(await world.waiting()).toEqual([])
    const [line = ''] = world.lines.filter((said) => said.includes('could not be delivered'))
    expect(line).toContain('no message pusher is set up; no mail server is set up')
  })
})
