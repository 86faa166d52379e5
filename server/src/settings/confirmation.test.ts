import { beforeEach, describe, expect, test } from 'vitest'
import { IDENTITY_WAYS, type OptionKey, OPTIONS, ROLE } from '@tollgate/contract'
import { DATABASES, openKeptDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { createLog } from '../process/log.ts'
import { deriveSecrets } from '../secrets.ts'
import { openDatabase } from '../store/database.ts'
import { readOptions } from '../store/options.ts'
import { listUnconfirmed } from './confirmation.ts'
import type { Editor } from './editor.ts'
import { findIdentityBlock, IDENTITY_KEYS } from './identity-ways.ts'
import { openSettings, type Settings } from './settings.ts'

const by = (role: number, username: string, nowSeconds = 50): Editor => ({
  actor: { id: role, username, role },
  language: 'en',
  nowSeconds,
})
const ROOT = by(ROLE.root, 'root')
const ADAM = by(ROLE.admin, 'adam')
const BOB = by(ROLE.admin, 'bob')

const log = createLog('silent')
const secrets = deriveSecrets('a master key of the tests')

describe.each(DATABASES)('on %s', (kind) => {
  let settings: Settings

  const place = openPerTest(() => openKeptDatabase(kind))
  const database = openPerTest(() => openDatabase(place))
  beforeEach(async () => {
    settings = await openSettings({ database, secrets, log })
  })

  const set = (who: Editor, key: OptionKey, value: string) => settings.update({ key, value }, who)

  const waiting = async () =>
    (await listUnconfirmed(database.kysely)).map(({ key, before, after, actor_name }) => ({
      key,
      before,
      after,
      actor_name,
    }))

  const waitingIds = async () => (await listUnconfirmed(database.kysely)).map(({ id }) => id)

  const history = () =>
    database.kysely
      .selectFrom('option_changes')
      .select(['after', 'confirmed', 'confirmed_by', 'confirmed_at'])
      .orderBy('id')
      .execute()

  const alerts = () => database.kysely.selectFrom('outbox').selectAll().execute()

  test('the confirmed values exclude pending changes, on another node as well', async () => {
    const other = await openDatabase(place)
    const node = await openSettings({ database: other, secrets, log })
    await set(ROOT, 'SMTPServer', 'smtp.example')
    await set(ADAM, 'SMTPServer', 'one.example')
    await set(ADAM, 'SMTPServer', 'two.example')
    await set(ADAM, 'SMTPPort', '26')
    await set(ADAM, 'SMTPToken', 'a secret')
    await set(ADAM, 'SystemName', 'Gate')
    const { current } = settings
    const { prices } = current()
    const confirmed = () => ({ ...settings.confirmed(), prices })
    expect(confirmed()).toEqual({ ...current(), SMTPServer: 'smtp.example', SMTPPort: 587 })
    await waitUntil(async () => node.current().SystemName === 'Gate')
    expect({ ...node.confirmed(), prices }).toEqual(confirmed())
    await settings.confirm(await waitingIds(), ROOT)
    expect(confirmed()).toEqual(current())
    await waitUntil(async () => node.confirmed().SMTPServer === 'two.example')
    await other.close()
  })

  test('a confirmation is recorded with its author and time, in the history and in the log', async () => {
    await set(ADAM, 'SMTPServer', 'smtp.example')
    await set(ADAM, 'SMTPToken', 'the-token-of-mails')
    const notes = () =>
      database.kysely.selectFrom('logs').select(['content', 'content_zh']).orderBy('id').execute()
    const before = (await notes()).length
    const ids = await waitingIds()
    await settings.confirm(ids, by(ROLE.root, 'root', 77))
    const confirmed = { confirmed: 1, confirmed_by: 'root', confirmed_at: 77 }
    expect(await history()).toMatchObject([confirmed, confirmed])
    const written = (await notes()).slice(before)
    expect(written).toEqual([
      {
        content: 'Confirmed: SMTP server (SMTPServer):  → smtp.example',
        content_zh: '已确认修改：SMTP 服务器地址 (SMTPServer):  → smtp.example',
      },
      {
        content: 'Confirmed: SMTP password or token (SMTPToken):  → ••••',
        content_zh: '已确认修改：SMTP 访问凭证 (SMTPToken):  → ••••',
      },
    ])
    // A client whose response was lost repeats the request.
    await settings.confirm(ids, by(ROLE.root, 'root', 99))
    expect(await history()).toMatchObject([confirmed, confirmed])
    expect(await notes()).toHaveLength(before + 2)
  })

  test('one alert reports all changes of a minute', async () => {
    await set(ROOT, 'SMTPServer', 'smtp.example')
    expect(await alerts()).toEqual([])
    await set(ADAM, 'SMTPServer', 'evil.example')
    await set(ADAM, 'SMTPToken', 'a secret')
    await set(ADAM, 'OidcClientId', 'evil')
    expect(await alerts()).toMatchObject([
      { message: '{"type":"identity-alert"}', created_at: 50, due_at: 110 },
    ])
    // A node that is about to send the alert may not have read the later change.
    await database.kysely.updateTable('outbox').set({ tries: 1 }).execute()
    await set(ADAM, 'SMTPPort', '26')
    expect(await alerts()).toHaveLength(2)
  })

  test('a change waits for a confirmation that runs on another node', async () => {
    const other = await openDatabase(place)
    const node = await openSettings({ database: other, secrets, log })
    await set(ROOT, 'SMTPServer', 'smtp.example')
    await set(ADAM, 'SMTPServer', 'evil.example')
    const ids = await waitingIds()
    const order: string[] = []
    let changing: Promise<void> | undefined
    const check = async () => {
      const began = () => Promise.resolve(order.push('change'))
      const entry = { key: 'SMTPServer', value: 'smtp.example' } as const
      changing = node.update(entry, { ...ADAM, check: began })
      // SQLite runs one transaction at a time; on PostgreSQL the other would have come this far.
      if (kind === 'postgres') {
        for (let round = 0; round < 50; round++) await readOptions(other.kysely)
      }
      order.push('confirmation')
    }
    await settings.confirm(ids, { ...ROOT, check })
    await changing
    await other.close()
    expect(order).toEqual(['confirmation', 'change'])
    // An earlier confirmed value is not the last confirmed one.
    expect(await waiting()).toMatchObject([{ before: 'evil.example', after: 'smtp.example' }])
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test("root's changes apply immediately, and an administrator's wait", async () => {
    await set(ROOT, 'SMTPServer', 'smtp.example')
    expect(await waiting()).toEqual([])
    await set(ADAM, 'SMTPServer', 'evil.example')
    expect(settings.current().SMTPServer).toBe('evil.example')
    expect(await waiting()).toEqual([
      { key: 'SMTPServer', before: 'smtp.example', after: 'evil.example', actor_name: 'adam' },
    ])
    await set(ROOT, 'SMTPServer', 'third.example')
    expect(await waiting()).toEqual([])
  })

  test('a console address applies once it is confirmed, and is listed as it was entered', async () => {
    await set(ROOT, 'ServerAddress', 'https://gate.example')
    await set(ROOT, 'ConsoleAddress', 'https://console.example')
    await set(ADAM, 'ConsoleAddress', 'https://evil.example')
    expect(settings.current().ConsoleAddress).toBe('https://console.example')
    const listed = { key: 'ConsoleAddress', value: 'https://evil.example' }
    expect(settings.list()).toContainEqual(listed)
    await settings.confirm(await waitingIds(), ROOT)
    expect(settings.current().ConsoleAddress).toBe('https://evil.example')
  })

  test('options that are no identity options need no confirmation', async () => {
    await set(ADAM, 'SystemName', 'Gate')
    await set(ADAM, 'MessagePusherAddress', 'https://push.example')
    expect(await waiting()).toEqual([])
    expect(await alerts()).toEqual([])
  })

  test('after several changes the last confirmed value is the previous one', async () => {
    await set(ROOT, 'SMTPServer', 'smtp.example')
    await set(ADAM, 'SMTPServer', 'one.example')
    await set(BOB, 'SMTPServer', 'two.example')
    expect(await waiting()).toEqual([
      { key: 'SMTPServer', before: 'smtp.example', after: 'two.example', actor_name: 'bob' },
    ])
    await settings.confirm(await waitingIds(), ROOT)
    await set(ADAM, 'SMTPServer', 'three.example')
    expect(await waiting()).toMatchObject([{ before: 'two.example', after: 'three.example' }])
  })

  test('putting the confirmed value back leaves nothing to confirm', async () => {
    await set(ROOT, 'SMTPPort', '465')
    await set(ADAM, 'SMTPPort', '25')
    await set(BOB, 'SMTPPort', '26')
    await set(BOB, 'SMTPPort', '25')
    expect(await waiting()).toHaveLength(1)
    await set(ADAM, 'SMTPPort', '465')
    expect(await waiting()).toEqual([])
    expect((await history()).at(-1)).toMatchObject({ confirmed: 1, confirmed_by: '' })
  })

  test('saving the same value neither confirms nor unconfirms', async () => {
    await set(ROOT, 'OidcClientId', 'gate')
    await set(ADAM, 'OidcClientId', 'gate')
    expect(await waiting()).toEqual([])
    await set(ADAM, 'OidcClientId', 'evil')
    await set(ROOT, 'OidcClientId', 'evil')
    expect(await waiting()).toHaveLength(1)
    expect(await history()).toHaveLength(2)
  })

  test('pending secrets are masked, and apply once root enters one', async () => {
    await set(ROOT, 'GitHubClientSecret', 'the first secret')
    await set(ADAM, 'GitHubClientSecret', 'the first secret')
    expect(await waiting()).toEqual([])
    await set(ADAM, 'GitHubClientSecret', 'another secret')
    expect(await waiting()).toEqual([
      { key: 'GitHubClientSecret', before: '••••', after: '••••', actor_name: 'adam' },
    ])
    // The confirmed secret is not kept, so this value cannot be compared with it.
    await set(ADAM, 'GitHubClientSecret', 'the first secret')
    await set(BOB, 'GitHubClientSecret', 'the first secret')
    expect(await waiting()).toMatchObject([{ actor_name: 'bob' }])
    await set(ROOT, 'GitHubClientSecret', 'the first secret')
    expect(await waiting()).toEqual([])
    await set(ADAM, 'GitHubClientSecret', ' ')
    expect(await waiting()).toMatchObject([{ before: '••••', after: '' }])
  })

  test('a set with one outdated change confirms none', async () => {
    await set(ADAM, 'SMTPServer', 'smtp.example')
    await set(ADAM, 'SMTPPort', '26')
    const seen = await waitingIds()
    await set(ADAM, 'SMTPServer', 'evil.example')
    const refused = { code: 'option_changed_again' }
    await expect(settings.confirm(seen, ROOT)).rejects.toMatchObject(refused)
    await expect(settings.confirm([999_999], ROOT)).rejects.toMatchObject(refused)
    expect(await waiting()).toHaveLength(2)
    await set(ADAM, 'SMTPServer', '')
    await expect(settings.confirm(seen, ROOT)).rejects.toMatchObject(refused)
    await settings.confirm(seen.slice(1), ROOT)
    expect(await waiting()).toEqual([])
  })

  test('a change of another kind of option cannot be confirmed', async () => {
    await set(ADAM, 'SystemName', 'Gate')
    const { id } = await database.kysely
      .selectFrom('option_changes')
      .select('id')
      .executeTakeFirstOrThrow()
    await expect(settings.confirm([id], ROOT)).rejects.toMatchObject({
      code: 'option_changed_again',
    })
  })

  test('only root can confirm', async () => {
    await set(ADAM, 'SMTPServer', 'smtp.example')
    const check = () => Promise.reject(new Error('not any more'))
    const ids = await waitingIds()
    await expect(settings.confirm(ids, { ...ROOT, check })).rejects.toThrow('not any more')
    expect(await waitingIds()).toEqual(ids)
  })

  test.each(IDENTITY_KEYS)(
    '%s keeps administrators out of the ways to log in that it decides',
    async (key) => {
      const { identity = [] } = OPTIONS[key]
      const row = { key, before: 'a', after: 'b', actor_id: 10, actor_name: 'adam', created_at: 1 }
      await database.kysely
        .insertInto('option_changes')
        .values({ ...row, confirmed: 0 })
        .execute()
      const blocks = await Promise.all(
        IDENTITY_WAYS.map((way) => findIdentityBlock(database.kysely, { way })),
      )
      const blocked = IDENTITY_WAYS.filter((_, index) => blocks[index] !== null)
      expect(blocked).toEqual(IDENTITY_WAYS.filter((way) => identity.includes(way)))
      const label = OPTIONS[key].label
      expect(blocks.find((block) => block !== null)).toMatchObject({
        code: 'identity_unconfirmed',
        params: { options: { en: `${label.en} (${key})`, zh: `${label.zh} (${key})` } },
      })
      await settings.confirm(await waitingIds(), ROOT)
      for (const way of IDENTITY_WAYS) {
        expect(await findIdentityBlock(database.kysely, { way })).toBeNull()
      }
    },
  )

  test('settings replaced during a login let no administrator in', async () => {
    await set(ROOT, 'WeChatServerAddress', 'https://wechat.example')
    const good = settings.versionOf('wechat')
    await set(ADAM, 'WeChatServerAddress', 'https://evil.example')
    const evil = settings.versionOf('wechat')
    const blockOf = (version: number) =>
      findIdentityBlock(database.kysely, { way: 'wechat', version })
    expect(await blockOf(evil)).toMatchObject({ code: 'identity_unconfirmed' })
    await set(ADAM, 'WeChatServerAddress', 'https://wechat.example')
    expect(await blockOf(evil)).toMatchObject({ code: 'identity_changed' })
    expect(await blockOf(good)).toMatchObject({ code: 'identity_changed' })
    expect(await blockOf(settings.versionOf('wechat'))).toBeNull()
    expect(settings.versionOf('github')).toBe(0)
  })
})
