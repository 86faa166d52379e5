import { afterEach, describe, expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { everyRow } from '../../../testing/harness/dump-tables.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openImportWorld } from '../../../testing/import/import-world.ts'
import {
  openPeer,
  type PeerDatabase,
  type PeerRows,
} from '../../../testing/import/peer-database.ts'
import { type Dialect, NEW_API, ONE_API, type Tables } from '../../../testing/import/peer-tables.ts'

const BEGAN = 1_764_547_200
const INT64_MAX = '9223372036854775807'
/** Characters that no database compresses. */
const IDEOGRAPHS = Array.from({ length: 5000 }, (_, index) =>
  String.fromCodePoint(0x4e_00 + ((index * 7919) % 20_000)),
).join('')

const USER = {
  id: 2,
  username: 'alice',
  password: '',
  display_name: '',
  role: 1,
  status: 1,
  email: '',
  github_id: '',
  wechat_id: '',
  access_token: '',
  quota: 1000,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: 'aff2',
  inviter_id: 0,
}

const TOKEN = {
  id: 3,
  user_id: 2,
  key: 'k'.repeat(48),
  status: 1,
  name: 'laptop',
  created_time: BEGAN,
  accessed_time: BEGAN,
  expired_time: -1,
  remain_quota: 10,
  unlimited_quota: false,
  used_quota: 0,
}

const CODE = {
  id: 1,
  user_id: 1,
  key: 'c'.repeat(32),
  status: 1,
  name: 'gift',
  quota: 500,
  created_time: BEGAN,
  redeemed_time: 0,
}

const LOG = {
  id: 1,
  user_id: 2,
  created_at: BEGAN,
  type: 2,
  content: '',
  username: 'alice',
  token_name: 'laptop',
  model_name: 'gpt-4o',
  quota: 30,
  prompt_tokens: 100,
  completion_tokens: 20,
  channel_id: 0,
}

const CHANNEL = {
  id: 5,
  type: 1,
  key: 'sk-upstream',
  status: 1,
  name: 'OpenAI',
  weight: 0,
  created_time: BEGAN,
  base_url: '',
  other: '',
  models: 'gpt-4o',
  group: 'default',
  model_mapping: '',
  priority: 0,
}

const CORE: PeerRows = { users: [USER], tokens: [TOKEN], channels: [CHANNEL], logs: [LOG] }

/**
 * Follows reports of gateways and of tools that copy databases: QuantumNous/new-api#5885 and
 * songquanpeng/one-api#1132 (balances beyond a type), BerriAI/litellm#21290 (NUL characters),
 * dimitri/pgloader#99 (bytes), #252 (zero dates), #1283 (bits), #1314 (times in milliseconds), #248
 * (truth values as texts), keycloak/keycloak#24755 and firefart/network_info#40 (texts that are too
 * long for an index), songquanpeng/one-api#1483 (column types that another tool has chosen).
 */
describe.each(DATABASES)('rows of a source that gateways and operators report, into %s', (kind) => {
  const world = openPerTest(() => openImportWorld(kind))
  let peer: PeerDatabase
  afterEach(() => peer.close())

  const open = async (dialect: Dialect, tables: Tables, rows: PeerRows) => {
    peer = await openPeer(dialect, tables)
    await peer.insert(rows)
  }
  /** Imports twice, and returns the lines of the first report. */
  const importTwice = async () => {
    const lines = await world.importFrom([peer.from])
    expect(await world.audit()).toEqual([])
    const before = await world.within(everyRow)
    await world.importFrom([peer.from])
    expect(await world.within(everyRow)).toEqual(before)
    return lines
  }
  const rowOf = async (table: 'users' | 'tokens' | 'channels', id: number) =>
    world.within(({ kysely }) =>
      kysely.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst(),
    )
  /** Rows of the log that the source has. */
  const logs = () =>
    world.within(({ kysely }) =>
      kysely.selectFrom('logs').selectAll().where('user_id', '<>', 1).orderBy('id').execute(),
    )

  const sources: Dialect[] = kind === 'sqlite' ? ['sqlite', 'postgres', 'mysql'] : ['mysql']

  test.each(sources)(
    'balances beyond 64 bits of precision from %s become the largest balance',
    async (dialect) => {
      await open(dialect, NEW_API, CORE)
      await peer.run(`update users set quota = ${INT64_MAX}`)
      await peer.run(`update tokens set remain_quota = ${INT64_MAX}`)
      const lines = await importTwice()
      const user = await rowOf('users', 2)
      expect(user).toMatchObject({ quota: QUOTA_MAX, used_quota: 30 })
      expect(lines).toContain('Balances above the largest balance, which they become (1)')
    },
  )

  test.each(sources)(
    'use beyond 64 bits of precision from %s is booked as far as can be counted',
    async (dialect) => {
      await open(dialect, NEW_API, CORE)
      await peer.run(`update users set used_quota = ${INT64_MAX}, request_count = ${INT64_MAX}`)
      await peer.run(`update tokens set used_quota = ${INT64_MAX}`)
      await importTwice()
      expect(await rowOf('users', 2)).toMatchObject({ quota: 1000 })
    },
  )

  test('ids above 32 bits are kept', async () => {
    const id = 5_000_000_000
    await open('postgres', NEW_API, {
      users: [{ ...USER, id }],
      tokens: [{ ...TOKEN, id, user_id: id }],
      logs: [{ ...LOG, id, user_id: id }],
    })
    await importTwice()
    expect(await rowOf('users', id)).toMatchObject({ quota: 1000, used_quota: 30 })
    expect(await rowOf('tokens', id)).toMatchObject({ user_id: id, used_quota: 30 })
  })

  test('NUL characters, also escaped ones in JSON, do not stop an import', async () => {
    await open('sqlite', NEW_API, {
      ...CORE,
      logs: [{ ...LOG, other: String.raw`{"upstream_model_name":"a\u0000b"}` }],
    })
    await peer.run(`update users set display_name = 'a' || char(0) || 'b'`)
    await peer.run(`update logs set token_name = 'x' || char(0), content = char(0) || 'y'`)
    await importTwice()
    expect(await rowOf('users', 2)).toMatchObject({ display_name: 'a\u{FFFD}b' })
    expect(await logs()).toMatchObject([{ upstream_model: 'a\u{FFFD}b', quota: 30 }])
  })

  test('bytes that are no UTF-8 do not stop an import', async () => {
    await open('sqlite', ONE_API, CORE)
    await peer.run(`update users set display_name = cast(x'41ff42' as text)`)
    await peer.run(`update logs set content = cast(x'e4bd' as text), model_name = x'67ff'`)
    await importTwice()
    expect(await rowOf('users', 2)).toMatchObject({ display_name: 'A\u{FFFD}B' })
    expect(await logs()).toMatchObject([{ quota: 30 }])
  })

  test('texts that are too long for an index are cut or left out', async () => {
    const user = { ...USER, username: IDEOGRAPHS, display_name: IDEOGRAPHS, group: IDEOGRAPHS }
    await open('sqlite', ONE_API, {
      users: [{ ...user, email: `${IDEOGRAPHS}@example.com`, aff_code: IDEOGRAPHS }],
      tokens: [{ ...TOKEN, name: IDEOGRAPHS, key: IDEOGRAPHS }],
      channels: [
        { ...CHANNEL, models: `gpt-4o,${IDEOGRAPHS}`, group: `default,${IDEOGRAPHS}` },
        { ...CHANNEL, id: 6, name: IDEOGRAPHS, base_url: '' },
      ],
      redemptions: [CODE, { ...CODE, id: 2, key: IDEOGRAPHS, name: IDEOGRAPHS }],
      logs: [
        { ...LOG, token_name: IDEOGRAPHS, model_name: IDEOGRAPHS, content: IDEOGRAPHS },
        { ...LOG, id: 2, type: 3, content: IDEOGRAPHS },
      ],
    })
    const lines = await importTwice()
    expect(lines).toContain('Addresses and accounts that are too long (1)')
    expect(lines).toContain('Codes left out: they are too long (1)')
    expect(lines.every((line) => line.length < 320)).toBe(true)
    expect(await rowOf('users', 2)).toMatchObject({
      username: IDEOGRAPHS.slice(0, 200),
      email: '',
      used_quota: 30,
    })
    expect(await rowOf('channels', 5)).toMatchObject({ models: 'gpt-4o', group: 'default' })
    expect(await logs()).toMatchObject([{ quota: 30 }, { quota: 30, type: 3 }])
  })

  test('a code that two rows have is imported once', async () => {
    await open('sqlite', ONE_API, { redemptions: [CODE, { ...CODE, id: 2 }] })
    const lines = await importTwice()
    expect(lines).toContain('Codes left out: another row has the same (1)')
    await world.within(async ({ kysely }) => {
      const codes = await kysely.selectFrom('redemptions').select('quota').execute()
      expect(codes).toEqual([{ quota: 500 }])
    })
  })

  test('rows of a user whose name was taken are logged under the new name in later runs', async () => {
    await open('sqlite', ONE_API, CORE)
    await world.importFrom([peer.from], { name: 'first' })
    await peer.run(`update tokens set key = 'another'`)
    await world.importFrom([peer.from], { name: 'second' })
    await peer.insert({ logs: [{ ...LOG, id: 9 }] })
    await world.importFrom([peer.from], { name: 'second' })
    const names = (await logs()).map(({ username }) => username)
    expect(names).toEqual(['alice', 'alice_2', 'alice_2'])
  })

  // How rows are read does not depend on the database that they go to.
  if (kind !== 'sqlite') return

  test("MySQL's zero date and Go's zero time do not delete a row", async () => {
    await open('mysql', NEW_API, CORE)
    await peer.run(`set session sql_mode = ''`)
    await peer.run(`update users set deleted_at = '0000-00-00 00:00:00'`)
    await peer.run(`update tokens set deleted_at = '0001-01-01 00:00:00'`)
    await importTwice()
    expect(await rowOf('users', 2)).toBeDefined()
    expect(await rowOf('tokens', 3)).toBeDefined()
  })

  test('an empty text or a 0 in place of a date does not delete a row, and a date does', async () => {
    await open('sqlite', NEW_API, {
      users: [USER, { ...USER, id: 4, username: 'bob', aff_code: 'aff4' }],
      tokens: [
        { ...TOKEN, deleted_at: 0 },
        { ...TOKEN, id: 4, key: 'd', deleted_at: '2025-03-01 12:00:00.123456+08:00' },
      ],
    })
    await peer.run(`update users set deleted_at = '' where id = 2`)
    await importTwice()
    expect(await rowOf('users', 2)).toBeDefined()
    expect(await rowOf('tokens', 3)).toBeDefined()
    expect(await rowOf('tokens', 4)).toBeUndefined()
  })

  test('texts in columns of other character sets are read as they look there', async () => {
    await open('mysql', ONE_API, CORE)
    await peer.run('alter table users modify display_name varchar(50) character set latin1')
    await peer.run('alter table logs modify content varchar(50) character set gbk')
    await peer.run(`update users set display_name = 'Zoë €'`)
    await peer.run(`update logs set content = '倍率 1.25'`)
    await importTwice()
    expect(await rowOf('users', 2)).toMatchObject({ display_name: 'Zoë €' })
    expect(await logs()).toMatchObject([{ content: '倍率 1.25' }])
  })

  test('times in milliseconds and as texts are read as times', async () => {
    await open('sqlite', ONE_API, {
      ...CORE,
      tokens: [{ ...TOKEN, created_time: BEGAN * 1000, expired_time: (BEGAN + 60) * 1000 }],
      logs: [
        { ...LOG, created_at: BEGAN * 1000 },
        { ...LOG, id: 2, created_at: '2025-12-01 08:00:00.5+08:00' },
        { ...LOG, id: 3, created_at: '2025-12-01T00:00:00Z' },
        { ...LOG, id: 4, created_at: 'yesterday' },
      ],
    })
    await importTwice()
    expect(await rowOf('tokens', 3)).toMatchObject({
      created_time: BEGAN,
      expired_time: BEGAN + 60,
    })
    expect((await logs()).map(({ created_at }) => created_at)).toEqual([BEGAN, BEGAN, BEGAN, 0])
  })

  test('numbers and truth values in columns of texts are read', async () => {
    await open('postgres', ONE_API, CORE)
    await peer.run(`alter table users alter quota type text using '1234.00'`)
    await peer.run(`alter table tokens alter unlimited_quota type text using 'false'`)
    await peer.run(`alter table tokens alter remain_quota type text using '1e3'`)
    await importTwice()
    expect(await rowOf('users', 2)).toMatchObject({ quota: 1234 })
    expect(await rowOf('tokens', 3)).toMatchObject({ remain_quota: 1000, unlimited_quota: 0 })
  })

  test('truth values in columns of bits are read', async () => {
    await open('mysql', NEW_API, CORE)
    await peer.run('alter table tokens modify unlimited_quota bit(1)')
    await peer.run(`update tokens set unlimited_quota = b'1'`)
    await importTwice()
    expect(await rowOf('tokens', 3)).toMatchObject({ unlimited_quota: 1, remain_quota: 0 })
  })

  test('an old version without log, codes and options is imported', async () => {
    const { users, tokens, channels } = ONE_API
    await open('sqlite', { users, tokens, channels }, { users: [USER], tokens: [TOKEN] })
    await importTwice()
    expect(await rowOf('users', 2)).toMatchObject({ quota: 1000 })
  })

  test('control characters of names do not reach the terminal', async () => {
    await open('sqlite', ONE_API, { users: [{ ...USER, username: 'a\u{1B}[2Jb\nc', quota: -5 }] })
    const lines = await importTwice()
    expect(lines).toContain('  user 2 (a [2Jb c): -5')
  })
})
