import { readFile } from 'node:fs/promises'
import { CompiledQuery, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { openDatabase } from './database.ts'
import { filtered, type LogFilter } from './log-filter.ts'
import { withinIds } from './log-span.ts'
import { pageOf } from './page.ts'

const place = openOnce(() => openTestDatabase('sqlite'))
const database = openOnce(() => openDatabase(place))

const ALL = { type: 0, token_name: '', model_name: '', start_timestamp: 0, end_timestamp: 0 }

/** The query plan of SQLite. */
async function planOf(query: { compile: () => CompiledQuery }): Promise<string> {
  const { sql: text, parameters } = query.compile()
  const plan = CompiledQuery.raw(`explain query plan ${text}`, [...parameters])
  const { rows } = await database.kysely.executeQuery<{ detail: string }>(plan)
  return rows.map(({ detail }) => detail).join()
}

test.each<[string, Partial<LogFilter>]>([
  ['logs_user_id', { userId: 1 }],
  ['logs_user_id', { userId: 1, type: 2 }],
  ['logs_user_id', { userId: 1, type: 2, token_name: 'a', model_name: 'gpt-4o' }],
  ['logs_username', { username: 'ann', type: 2 }],
  ['logs_username', { username: 'ann', token_name: 'a', channel: 7, model_name: 'gpt-4o' }],
  ['logs_token_name', { token_name: 'a', type: 2, channel: 7, model_name: 'gpt-4o' }],
  ['logs_model_name', { model_name: 'gpt-4o' }],
  ['logs_model_name', { model_name: 'gpt-4o', type: 2 }],
  ['logs_channel', { channel: 7 }],
  ['logs_channel', { channel: 7, type: 2, model_name: 'gpt-4o' }],
  ['logs_created_at', { type: 2 }],
  ['logs_incomplete_id', { type: 3 }],
  ['logs_incomplete_id', { outcome: ['failed'], model_name: 'gpt-4o' }],
  ['logs_incomplete_id', { outcome: ['cut_off', 'cancelled'] }],
  ['logs_incomplete_id', { error: 'no_channel', stream: 'true' }],
  ['logs_id', { outcome: ['answered', 'failed'] }],
  ['logs_id', { error: 'finished' }],
  ['logs_id', { group: 'default', rare: null }],
  ['logs_id', { endpoint: 'chat', group: 'default', rare: null }],
  ['logs_incomplete_id', { group: 'vip', outcome: ['failed'] }],
  ['logs_id', { model_name: 'gpt-4o', min_quota: 5 }],
  ['logs_token_name', { token_part: 'a', found: { token_name: { values: ['a'], isRare: true } } }],
  ['logs_id', { token_part: 'a', found: { token_name: { values: ['a'], isRare: false } } }],
  ['logs_user_id', { user_part: 'a', found: { user_id: { values: [7], isRare: true } } }],
  ['logs_id', { user_part: 'a' }],
  ['logs_created_at', {}],
])('rows of a time span are counted from %s alone: %o', async (index, wanted) => {
  const one = database.kysely.selectFrom('logs').select(sql.lit(1).as('one'))
  const found = filtered(one, { ...ALL, ...wanted, start_timestamp: 1_700_000_000 })
  const plan = await planOf(withinIds(found, { min: 5, max: null }))
  expect(plan).toContain(`USING COVERING INDEX ${index} `)
})

test.each<Partial<LogFilter>>([{ min_quota: 5 }, { type: 2, min_duration: 5 }, { max_quota: 5 }])(
  'SQLite finds and counts few rows of %o from logs_created_at alone',
  async (measure) => {
    const ids = filtered(database.kysely.selectFrom('logs').select('id'), { ...ALL, ...measure })
    const index = 'USING COVERING INDEX logs_created_at'
    expect(await planOf(ids)).toContain(index)
    const page = pageOf(ids, { p: 0, size: 10, order: 'desc', isSparse: true })
    expect(await planOf(page)).toContain(index)
  },
)

const OF_ALL_ENDPOINTS = { column: 'endpoint', endpoints: ['', 'chat', 'images'] } as const

test.each<[string, Partial<LogFilter>]>([
  ['logs_endpoint (endpoint=? AND group=?', { group: 'vip', rare: OF_ALL_ENDPOINTS }],
  [
    'logs_endpoint (endpoint=?',
    { endpoint: 'images', rare: { column: 'endpoint', endpoints: ['images'] }, max_duration: 5 },
  ],
  [
    'logs_model_name (model_name=?',
    { model_name: 'a', min_quota: 5, rare: { column: 'model_name' } },
  ],
  [
    'logs_model_name (model_name=?',
    { model_name: 'a', channel: 7, group: 'vip', rare: { column: 'model_name' } },
  ],
  ['logs_channel (channel=?', { channel: 7, stream: 'true', rare: { column: 'channel' } }],
])('few rows of a time span are found by %s: %o', async (index, wanted) => {
  const ids = filtered(database.kysely.selectFrom('logs').select('id'), {
    ...ALL,
    ...wanted,
    start_timestamp: 1_700_000_000,
  })
  const page = pageOf(withinIds(ids, { min: 5, max: null }), { p: 0, size: 10, order: 'desc' })
  expect(await planOf(page)).toContain(`INDEX ${index}`)
})

describe('PostgreSQL', () => {
  const postgres = openOnce(() => openTestDatabase('postgres'))
  const filled = openOnce(() => openDatabase(postgres))

  beforeAll(async () => {
    await sql`insert into logs (user_id, created_at, type, outcome, end_reason, elapsed_time,
        model_name, endpoint, "group")
      select n % 7, 1700000000 + n, 2, case n % 50 when 0 then 'void' else 'settled' end,
        case n % 50 when 0 then 'no_channel' when 1 then 'broken_stream' else 'finished' end, n,
        case n % 2000 when 0 then 'o3-pro' else 'gpt-4o' end,
        case n % 2000 when 1 then 'images' else 'chat' end,
        case n % 2000 when 2 then 'vip' else 'default' end
      from generate_series(1, 20000) as n`.execute(filled.kysely)
    await sql`analyze logs`.execute(filled.kysely)
  })

  /** The index of the log that a statement reads; partitions name theirs by columns. */
  async function indexOf(filter: Partial<LogFilter>): Promise<string | undefined> {
    const transaction = await filled.kysely.startTransaction().execute()
    // Few rows are read as soon by other partial indexes, with a sort.
    await sql`drop index logs_unsettled_user, logs_unsettled_username, logs_unsettled_content,
      logs_unsettled_own_content, logs_unsettled_content_zh, logs_unsettled_own_content_zh`.execute(
      transaction,
    )
    await sql`set local enable_seqscan = off`.execute(transaction)
    const ids = filtered(transaction.selectFrom('logs').select('id'), { ...ALL, ...filter })
    const { sql: text, parameters } = pageOf(ids, { p: 0, size: 50, order: 'desc' }).compile()
    const plan = CompiledQuery.raw(`explain (format json) ${text}`, [...parameters])
    const { rows } = await transaction.executeQuery(plan)
    const [, name] = /"Index Name":"(logs_first_\w+)"/.exec(JSON.stringify(rows)) ?? []
    const parents = await sql<{ name: string }>`select inhparent::regclass::text as name
      from pg_inherits where inhrelid::regclass::text = ${name}`.execute(transaction)
    await transaction.rollback().execute()
    return parents.rows[0]?.name
  }

  test.each<[string, Partial<LogFilter>]>([
    ['logs_incomplete_id', { error: 'no_channel' }],
    ['logs_incomplete_id', { outcome: ['failed'] }],
    ['logs_incomplete_id', { outcome: ['cut_off', 'cancelled'] }],
    ['logs_pkey', { outcome: ['answered'] }],
    ['logs_pkey', { user_part: 'a', found: { user_id: { values: [3], isRare: false } } }],
    ['logs_endpoint', { group: 'vip', rare: OF_ALL_ENDPOINTS }],
    ['logs_endpoint', { endpoint: 'images', rare: { column: 'endpoint', endpoints: ['images'] } }],
    ['logs_endpoint', { endpoint: 'none', rare: { column: 'endpoint', endpoints: ['none'] } }],
    ['logs_model_name', { model_name: 'o3-pro', max_quota: 9, rare: { column: 'model_name' } }],
    ['logs_pkey', { endpoint: 'chat', group: 'default', rare: null }],
    ['logs_pkey', { model_name: 'gpt-4o', max_quota: 9, rare: null }],
  ])('reads %s for %o', async (index, filter) => {
    expect(await indexOf(filter)).toBe(index)
  })

  test('finds the newest ids of a group from the index alone', async () => {
    const transaction = await filled.kysely.startTransaction().execute()
    await sql`set local enable_seqscan = off`.execute(transaction)
    await sql`set local enable_bitmapscan = off`.execute(transaction)
    const rare = { group: 'vip', rare: OF_ALL_ENDPOINTS }
    const ids = filtered(transaction.selectFrom('logs').select('id'), { ...ALL, ...rare })
    const { sql: text, parameters } = ids.where('id', '>=', 9000).compile()
    const plan = CompiledQuery.raw(`explain ${text}`, [...parameters])
    const { rows } = await transaction.executeQuery(plan)
    await transaction.rollback().execute()
    expect(JSON.stringify(rows)).toMatch(
      /Index Only Scan using logs_first_endpoint_group_id_idx .*Index Cond: .*\(id >= '?9000'?/,
    )
  })

  test('tests the type and cost of a sum while it reads the index', async () => {
    const transaction = await filled.kysely.startTransaction().execute()
    await sql`set local enable_seqscan = off`.execute(transaction)
    await sql`set local enable_bitmapscan = off`.execute(transaction)
    const sum = transaction.selectFrom('logs').select((eb) => eb.fn.sum('quota').as('sum'))
    const { sql: text, parameters } = filtered(sum, { ...ALL, type: 2, min_quota: 9 }).compile()
    const plan = CompiledQuery.raw(`explain (format json) ${text}`, [...parameters])
    const { rows } = await transaction.executeQuery(plan)
    await transaction.rollback().execute()
    // A condition outside of the index would follow as a filter.
    expect(JSON.stringify(rows)).toContain(
      `"Index Cond":"((quota >= '9'::bigint) AND (type = '2'::bigint))"}`,
    )
  })
})

const SPAN = { start_timestamp: 1_700_000_000, end_timestamp: 1_700_086_400 }

test.each<Partial<LogFilter>>([
  {},
  { type: 2 },
  SPAN,
  { ...SPAN, type: 2 },
  { ...SPAN, min_quota: 5 },
])('rows skipped by a page number are not read: %o', async (span) => {
  const ids = filtered(database.kysely.selectFrom('logs').select('id'), { ...ALL, ...span })
  const within = withinIds(ids, { min: 5, max: 50_000 })
  const page = pageOf(within, { p: 100, size: 10, order: 'desc' })
  expect(await planOf(page)).toMatch(/^SEARCH logs USING COVERING INDEX logs_id /)
})

test('log.md names the call that needs each index of the log', async () => {
  const page = await readFile(new URL('../../../docs/reference/log.md', import.meta.url), 'utf8')
  const documented = page.slice(page.indexOf('## Indexes')).matchAll(/`(logs_\w+)`/g)
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where tbl_name = 'logs' and type = 'index'
      and name like 'logs%'`.execute(database.kysely)
  const names = [...documented].map(([, name]) => name)
  expect(new Set(names)).toEqual(new Set(rows.map(({ name }) => name)))
})

test("a user's invitees are counted from an index alone", async () => {
  const invited = database.kysely
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('inviter_id', '=', 1)
    .where('status', '<>', 3)
  expect(await planOf(invited)).toContain('USING COVERING INDEX users_inviter_id ')
})
