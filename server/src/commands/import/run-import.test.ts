import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { everyRow } from '../../../testing/harness/dump-tables.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openImportWorld, SECRET_KEY } from '../../../testing/import/import-world.ts'
import {
  openPeer,
  type PeerDatabase,
  type PeerRows,
} from '../../../testing/import/peer-database.ts'
import {
  type Dialect,
  NEW_API,
  ONE_API,
  ONE_HUB,
  type Tables,
} from '../../../testing/import/peer-tables.ts'
import { createAuthenticate } from '../../gateway/intake/authenticate.ts'
import { deriveSecrets } from '../../secrets.ts'
import type { Database } from '../../store/database.ts'
import { findInviter } from '../../store/users.ts'

const BCRYPT = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
const KEY = 'A'.repeat(48)
const SHORT_KEY = 'hand-made'
const DAY = 86_400
const BEGAN = 1_764_547_200
const secrets = deriveSecrets(SECRET_KEY)

const USERS = [
  { id: 1, username: 'root', password: BCRYPT, role: 100, status: 1, quota: 10 ** 14 },
  { id: 2, username: 'alice', password: BCRYPT, role: 1, status: 1, quota: 900_000 },
  { id: 7, username: 'bob', password: BCRYPT, role: 10, status: 2, quota: -50 },
].map((user) => ({
  ...user,
  display_name: '',
  email: `${user.username}@Example.com`,
  github_id: '',
  wechat_id: '',
  access_token: user.id === 2 ? 'f'.repeat(32) : '',
  used_quota: user.id === 2 ? 800 : 0,
  request_count: user.id === 2 ? 5 : 0,
  group: user.id === 2 ? 'vip' : 'default',
  aff_code: `aff${user.id}`,
  inviter_id: user.id === 7 ? 2 : 0,
}))

const TOKENS = [
  { id: 3, user_id: 2, key: KEY, name: 'laptop', remain_quota: 0, unlimited_quota: true },
  { id: 9, user_id: 2, key: SHORT_KEY, name: '', remain_quota: 4000, unlimited_quota: false },
].map((token) => ({
  ...token,
  status: 1,
  created_time: BEGAN,
  accessed_time: BEGAN,
  expired_time: token.id === 3 ? -1 : 0,
  used_quota: 0,
}))

const CHANNELS = [
  { id: 5, type: 1, key: 'sk-upstream', name: 'OpenAI', models: 'gpt-4o,gpt-4o-mini' },
  { id: 6, type: 37, key: 'key', name: 'elsewhere', models: 'm' },
].map((channel) => ({
  ...channel,
  status: 1,
  weight: 0,
  created_time: BEGAN,
  base_url: '',
  other: '',
  group: 'default,vip',
  model_mapping: channel.id === 5 ? '{"gpt-4o":"gpt-4o-2024"}' : '',
  priority: 2,
}))

const CODES = [
  { id: 1, key: 'c'.repeat(32), status: 1, name: 'gift', quota: 500 },
  { id: 2, key: 'd'.repeat(32), status: 3, name: 'spent', quota: 500 },
  { id: 3, key: 'worthless', status: 1, name: 'nothing', quota: 0 },
].map((code) => ({ ...code, user_id: 1, created_time: BEGAN, redeemed_time: 0 }))

const LOGS = [
  { user_id: 2, type: 2, quota: 300, token_name: 'laptop', created_at: BEGAN + DAY },
  { user_id: 2, type: 2, quota: 200, token_name: 'gone', created_at: BEGAN + DAY },
  { user_id: 2, type: 1, quota: 900_000, token_name: '', created_at: BEGAN },
  { user_id: 404, type: 2, quota: 77, token_name: '', created_at: BEGAN },
].map((log, index) => ({
  ...log,
  id: index + 1,
  content: '模型倍率 1.25',
  username: 'alice',
  model_name: log.type === 2 ? 'gpt-4o' : '',
  prompt_tokens: 100,
  completion_tokens: 20,
  channel_id: log.type === 2 ? 5 : 0,
}))

const OPTIONS = [
  { key: 'GroupRatio', value: '{"default":1,"vip":"0.8"}' },
  { key: 'SystemName', value: 'The old gate' },
  { key: 'RegisterEnabled', value: 'false' },
  { key: 'UnknownToUs', value: '1' },
]

const CORE: PeerRows = {
  users: USERS,
  tokens: TOKENS,
  channels: CHANNELS,
  redemptions: CODES,
  logs: LOGS,
  options: OPTIONS,
}

const callerOf = async (database: Database, key: string) => {
  const request = new IncomingMessage(new Socket())
  request.headers.authorization = `Bearer sk-${key}`
  const authenticate = createAuthenticate(database, secrets, { monotonic: () => 1 })
  return authenticate.caller(request)
}

const PRODUCTS: readonly [string, Tables, Dialect][] = [
  ['One API', ONE_API, 'sqlite'],
  ['New API', NEW_API, 'postgres'],
  ['one-hub', ONE_HUB, 'mysql'],
]

describe.each(DATABASES)('an import into %s', (kind) => {
  let peer: PeerDatabase

  const world = openPerTest(() => openImportWorld(kind))
  afterEach(async () => {
    await peer.close()
  })

  const rowsOf = () => world.within(everyRow)

  test.each(PRODUCTS)(
    '%s keeps keys, balances, ids and invite codes',
    async (_, tables, dialect) => {
      peer = await openPeer(dialect, tables)
      await peer.insert(CORE)
      await world.importFrom([peer.from])
      expect(await world.audit()).toEqual([])
      await world.within(async (database) => {
        const { kysely } = database
        const users = await kysely.selectFrom('users').selectAll().orderBy('id').execute()
        expect(users).toMatchObject([
          { id: 1, username: 'root', role: 100 },
          {
            id: 2,
            username: 'alice',
            email: 'alice@example.com',
            quota: 900_000,
            used_quota: 800,
            request_count: 5,
            group: 'vip',
            aff_code: 'aff2',
            password_hash: BCRYPT,
            access_token_hash: secrets.hashAccessToken('f'.repeat(32)),
          },
          { id: 7, username: 'bob', role: 10, status: 2, quota: 0, inviter_id: 2 },
        ])
        expect(users[0]?.password_hash).toMatch(/^\$argon2id/)
        expect(await callerOf(database, KEY)).toMatchObject({ token: { id: 3, name: 'laptop' } })
        expect(await callerOf(database, `${KEY}-5`)).toMatchObject({ pinned: '5' })
        expect(await callerOf(database, SHORT_KEY)).toMatchObject({
          token: { id: 9, remain_quota: 4000, unlimited_quota: 0, expired_time: -1 },
        })
        const channels = await kysely.selectFrom('channels').selectAll().orderBy('id').execute()
        expect(channels.map(({ id, type, status }) => [id, type, status])).toEqual([
          [5, 1, 1],
          [6, 8, 2],
        ])
        const [first] = channels
        expect(first && secrets.openChannelKey(first.key_sealed)).toBe('sk-upstream')
        expect(first).toMatchObject({ model_mapping: '{"gpt-4o":"gpt-4o-2024"}', used_quota: 500 })
        const codes = await kysely.selectFrom('redemptions').select(['key', 'quota']).execute()
        expect(codes).toEqual([{ key: 'c'.repeat(32), quota: 500 }])
        expect(await findInviter(kysely, 'aff2')).toMatchObject({ id: 2 })
        const logs = await kysely.selectFrom('logs').selectAll().where('user_id', '=', 2).execute()
        const shown = logs.map(({ type, quota, channel, group }) => [type, quota, channel, group])
        expect(shown).toEqual([
          [2, 300, 5, 'vip'],
          [2, 200, 5, 'vip'],
          [1, 900_000, 0, ''],
        ])
        const name = kysely.selectFrom('options').select('value').where('key', '=', 'SystemName')
        expect(await name.executeTakeFirst()).toEqual({ value: 'The old gate' })
      })
    },
  )

  test('a second run makes no difference, and a later one brings what is new', async () => {
    peer = await openPeer('sqlite', ONE_API)
    await peer.insert(CORE)
    await world.importFrom([peer.from])
    const before = await rowsOf()
    const again = await world.importFrom([peer.from])
    expect(await rowsOf()).toEqual(before)
    expect(again.slice(0, 4)).toEqual([
      'options: 4 same, 1 left out',
      'users: 3 same',
      'channels: 2 same',
      'keys: 2 same',
    ])
    await peer.run('update users set quota = quota - 40, used_quota = used_quota + 40 where id = 2')
    await peer.run(`update redemptions set status = 3 where id = 1`)
    await peer.run(`update tokens set status = 2 where id = 9`)
    await peer.insert({
      users: [{ ...USERS[1], id: 8, username: 'carol', email: '', aff_code: 'aff8', quota: 5 }],
      logs: [{ ...LOGS[0], id: 10, quota: 40 }],
    })
    await world.importFrom([peer.from])
    expect(await world.audit()).toEqual([])
    await world.within(async ({ kysely }) => {
      const users = await kysely.selectFrom('users').select(['id', 'quota', 'used_quota']).execute()
      expect(users).toContainEqual({ id: 2, quota: 899_960, used_quota: 840 })
      expect(users).toContainEqual({ id: 8, quota: 5, used_quota: 800 })
      const codes = await kysely.selectFrom('redemptions').select('status').execute()
      expect(codes).toEqual([{ status: 2 }])
      const token = kysely.selectFrom('tokens').select('status').where('id', '=', 9)
      expect(await token.executeTakeFirst()).toEqual({ status: 2 })
    })
  })

  test('an import that broke off continues, and books every row once', async () => {
    peer = await openPeer('sqlite', ONE_API)
    await peer.insert(CORE)
    const books: unknown[] = []
    for (let isDone = false; !isDone; books.push(await world.audit())) {
      // Each run completes a transaction and fails at the next.
      isDone = await world.importFrom([peer.from], { failsAt: 2 }).then(
        () => true,
        () => false,
      )
    }
    expect(books).toEqual([[], [], [], []])
    await world.within(async ({ kysely }) => {
      const user = kysely.selectFrom('users').select(['quota', 'used_quota']).where('id', '=', 2)
      expect(await user.executeTakeFirst()).toEqual({ quota: 900_000, used_quota: 800 })
      const rows = await kysely.selectFrom('logs').select('id').where('user_id', '=', 2).execute()
      expect(rows).toHaveLength(3)
    })
  })

  test.each([false, true])(
    'pages and transactions of the log are booked once, also after deadlocks: %s',
    async (deadlocks) => {
      peer = await openPeer('sqlite', ONE_API)
      const [kept, gone] = LOGS
      const logs = [kept, gone, gone, kept, gone, kept, kept].map((log, index) => ({
        ...log,
        id: index + 1,
        quota: 10 ** index,
      }))
      const users = USERS.map((user) => ({ ...user, used_quota: user.id === 2 ? 1_111_111 : 0 }))
      await peer.insert({ ...CORE, users, logs })
      const lines = await world.importFrom([peer.from], { logPages: { inBatch: 2 }, deadlocks })
      expect(lines).toContain('log rows: 7 new')
      expect(await world.audit()).toEqual([])
      await world.within(async ({ kysely }) => {
        const rows = kysely.selectFrom('logs').select('quota').where('user_id', '=', 2)
        const quotas = (await rows.orderBy('id').execute()).map(({ quota }) => quota)
        expect(quotas).toEqual(logs.map(({ quota }) => quota))
        const user = kysely.selectFrom('users').select(['quota', 'used_quota', 'request_count'])
        expect(await user.where('id', '=', 2).executeTakeFirst()).toEqual({
          quota: 900_000,
          used_quota: 1_111_111,
          request_count: 7,
        })
        const tokens = await kysely.selectFrom('tokens').select(['name', 'used_quota']).execute()
        expect(tokens).toContainEqual({ name: 'laptop', used_quota: 1_101_001 })
        expect(tokens).toContainEqual({ name: 'imported', used_quota: 10_110 })
        const channel = kysely.selectFrom('channels').select('used_quota').where('id', '=', 5)
        expect(await channel.executeTakeFirst()).toEqual({ used_quota: 1_111_111 })
        const hours = kysely.selectFrom('rollups').select((eb) => eb.fn.sum('quota').as('quota'))
        expect(await hours.executeTakeFirst()).toEqual({ quota: 1_111_111 })
      })
      const before = await rowsOf()
      await world.importFrom([peer.from])
      expect(await rowsOf()).toEqual(before)
    },
  )

  test('a gateway charges and logs while a batch of the log is read', async () => {
    peer = await openPeer('sqlite', ONE_API)
    await peer.insert(CORE)
    let charges = 0
    const charge = async (index: number) => {
      if (index === 0 || kind === 'sqlite') return
      await world.within(({ transaction }) =>
        transaction(async (tx) => {
          await sql`set local lock_timeout = '1s'`.execute(tx)
          await sql`update users set remind_below = remind_below where id = 2`.execute(tx)
          await sql`update tokens set accessed_time = accessed_time where id = 3`.execute(tx)
          await sql`insert into logs (user_id, created_at) values (9, ${BEGAN})`.execute(tx)
          charges += 1
        }),
      )
    }
    await world.importFrom([peer.from], { logPages: { inBatch: 100, before: charge } })
    await world.within(async ({ kysely }) => {
      const live = await kysely.selectFrom('logs').select('id').where('user_id', '=', 9).execute()
      expect(live).toHaveLength(charges)
      const logs = await kysely.selectFrom('logs').select('id').where('user_id', '=', 2).execute()
      expect(logs).toHaveLength(3)
    })
    expect(charges).toBe(kind === 'sqlite' ? 0 : 3)
    expect(await world.audit()).toEqual([])
  })

  // Two runs cannot have the folder of an SQLite database.
  if (kind === 'postgres') {
    test('stops when another run of it has written', async () => {
      peer = await openPeer('sqlite', ONE_API)
      await peer.insert(CORE)
      const { from } = peer
      let second: readonly string[] = []
      const before = async (index: number) => {
        if (index === 0) second = await world.importFrom([from])
      }
      await expect(
        world.importFrom([from], { logPages: { inBatch: 100, before } }),
      ).rejects.toThrow('Another import named old is running.')
      expect(second.join('\n')).toContain('log rows: 3 new')
      await world.within(async ({ kysely }) => {
        const logs = await kysely
          .selectFrom('logs')
          .select('quota')
          .where('user_id', '=', 2)
          .execute()
        expect(logs).toHaveLength(3)
      })
      expect(await world.audit()).toEqual([])
    })
  }

  test('a dry run reports, and leaves a new installation as it was', async () => {
    peer = await openPeer('sqlite', ONE_API)
    await peer.insert(CORE)
    const before = await rowsOf()
    const lines = await world.importFrom([peer.from], { isDryRun: true })
    expect(await rowsOf()).toEqual(before)
    expect(lines.join('\n')).toContain('users: 3 new')
    expect(lines).toContain('Negative balances, imported as 0 (1)')
    expect(lines).toContain('  user 7 (bob): -50')
    expect(lines).toContain('Channels imported as disabled (1)')
    expect(lines).toContain(
      '  channel 6 (elsewhere): Cloudflare Workers AI (type 37) has no counterpart',
    )
    expect(lines).toContain('  UnknownToUs')
    expect(lines.join('\n')).not.toContain(KEY)
  })

  test('names, addresses and ids that are taken here get others', async () => {
    peer = await openPeer('sqlite', ONE_API)
    await peer.insert(CORE)
    await world.importFrom([peer.from], { name: 'first' })
    await peer.run(`update tokens set key = key || 'x'`)
    const lines = await world.importFrom([peer.from], { name: 'second' })
    expect(lines).toContain('  user 2 (alice): alice_2')
    expect(await world.audit()).toEqual([])
    await world.within(async (database) => {
      const caller = await callerOf(database, `${KEY}x`)
      expect(caller).toMatchObject({ user: { username: 'alice_2', quota: 900_000 } })
    })
  })
})
