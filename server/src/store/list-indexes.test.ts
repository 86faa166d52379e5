import { readFile } from 'node:fs/promises'
import { CompiledQuery, sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { openDatabase } from './database.ts'
import { filtered, type LogFilter } from './log-filter.ts'
import { withinIds } from './log-span.ts'
import { pageOf } from './page.ts'

const place = openOnce(() => openTestDatabase('sqlite'))
const database = openOnce(() => openDatabase(place))

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
  ['logs_id', { type: 2 }],
  ['logs_unsettled_id', { type: 3 }],
  ['logs_unsettled_id', { outcome: ['failed'], model_name: 'gpt-4o' }],
  ['logs_id', { model_name: 'gpt-4o', min_quota: 5 }],
  ['logs_token_name', { token_part: 'a', names: { token_name: { values: ['a'], isRare: true } } }],
  ['logs_id', { token_part: 'a', names: { token_name: { values: ['a'], isRare: false } } }],
  ['logs_created_at', {}],
])('rows of a time span are counted from %s alone: %o', async (index, wanted) => {
  const filter = { type: 0, token_name: '', model_name: '', end_timestamp: 0, ...wanted }
  const one = database.kysely.selectFrom('logs').select(sql.lit(1).as('one'))
  const found = filtered(one, { ...filter, start_timestamp: 1_700_000_000 })
  const plan = await planOf(withinIds(found, { min: 5, max: null }))
  expect(plan).toContain(`USING COVERING INDEX ${index} `)
})

test.each([{}, { start_timestamp: 1_700_000_000, end_timestamp: 1_700_086_400 }])(
  'rows skipped by a page number are not read: %o',
  async (span) => {
    const all = { type: 0, token_name: '', model_name: '', start_timestamp: 0, end_timestamp: 0 }
    const ids = filtered(database.kysely.selectFrom('logs').select('id'), { ...all, ...span })
    const within = withinIds(ids, { min: 5, max: 50_000 })
    const page = pageOf(within, { p: 100, size: 10, order: 'desc' })
    expect(await planOf(page)).toMatch(/^SEARCH logs USING COVERING INDEX logs_id /)
  },
)

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
