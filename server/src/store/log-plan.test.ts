import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { FACET_ROWS_MAX } from '@tollgate/contract'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { openDatabase } from './database.ts'
import { countFacets } from './log-facets.ts'
import { filtered, type LogFilter, type RareIndex } from './log-filter.ts'
import { withPlan } from './log-plan.ts'

const ALL = { type: 0, token_name: '', model_name: '', start_timestamp: 0, end_timestamp: 0 }
/** A value that so many rows have is not rare. */
const ROWS = 41_000
/** A group that so many rows have is rare, and facets count fewer. */
const TEAM_ROWS = 25_000
const ANY_ID = { min: null, max: null }

const ofEndpoints = (...endpoints: string[]): RareIndex => ({ column: 'endpoint', endpoints })

describe.each(DATABASES)('the plan of a filter on %s', (kind) => {
  const place = openOnce(() => openTestDatabase(kind))
  const database = openOnce(() => openDatabase(place))

  beforeAll(async () => {
    await sql`insert into logs (user_id, created_at, type, outcome, model_name, endpoint, "group",
        channel, quota)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
      select 1, 1700000000 + n, 2, 'settled', case n when 1 then 'o3-pro' else 'gpt-4o' end,
        case n when 2 then 'images' else 'chat' end,
        case when n = 3 then 'vip' when n <= ${TEAM_ROWS} then 'team' else 'default' end,
        case n when 4 then 9 else 1 end, n % 3
      from numbers`.execute(database.kysely)
  })

  const rareOf = async (filter: Partial<LogFilter>, ids: Parameters<typeof withPlan>[2]['ids']) =>
    (await withPlan(database.kysely, { ...ALL, ...filter }, { scans: true, ids })).rare ?? null

  test.each<[Partial<LogFilter>, RareIndex | null]>([
    [{ endpoint: 'images' }, ofEndpoints('images')],
    [{ endpoint: 'absent', min_quota: 5 }, ofEndpoints('absent')],
    [{ group: 'vip' }, ofEndpoints('chat', 'images')],
    [{ group: 'absent' }, ofEndpoints('chat', 'images')],
    [{ group: 'team' }, ofEndpoints('chat', 'images')],
    [{ endpoint: 'images', group: 'team' }, ofEndpoints('images')],
    [{ endpoint: 'chat', group: 'team' }, ofEndpoints('chat')],
    [{ endpoint: 'chat' }, null],
    [{ group: 'default' }, null],
    [{ endpoint: 'chat', group: 'default', channel: 1 }, null],
    [{ model_name: 'o3-pro', stream: 'true' }, { column: 'model_name' }],
    [{ model_name: 'o3-pro', channel: 1 }, { column: 'model_name' }],
    [{ model_name: 'gpt-4o', channel: 9 }, { column: 'channel' }],
    [{ model_name: 'gpt-4o', channel: 1, group: 'vip' }, ofEndpoints('chat', 'images')],
    [{ model_name: 'gpt-4o', channel: 1 }, null],
    [{ type: 2 }, null],
  ])('finds an index of few rows for %o', async (filter, expected) => {
    expect(await rareOf(filter, ANY_ID)).toEqual(expected)
  })

  test.each<Partial<LogFilter>>([{ userId: 1 }, { token_name: 'web' }, { outcome: ['failed'] }])(
    'a rare group is not weighed with %o, which has an index of its own',
    async (filter) => {
      expect(await rareOf({ group: 'vip', ...filter }, ANY_ID)).toBe(null)
    },
  )

  test('a rare group is not weighed among few ids, as for rows after the last', async () => {
    expect(await rareOf({ group: 'vip' }, { min: ROWS - 10, max: null })).toBe(null)
  })

  test.each<Partial<LogFilter>>([
    { group: 'team' },
    { group: 'team', min_quota: 0, channel: 1 },
    { group: 'team', end_timestamp: 1_700_012_000 },
    { group: 'team', start_timestamp: 1_700_020_000 },
    // A third, two thirds and one of the rows.
    { group: 'team', min_quota: 2 },
    { group: 'team', max_quota: 1 },
    { group: 'team', channel: 9 },
    { group: 'vip' },
    { endpoint: 'images' },
    { endpoint: 'chat', group: 'absent' },
  ])('facets of %o are those of the newest rows by id', async (filter) => {
    const db = database.kysely
    const { counted, facets } = await countFacets(db, { ...ALL, ...filter }, { isAdmin: true })
    const rows = await filtered(db.selectFrom('logs').selectAll(), { ...ALL, ...filter })
      .orderBy('id', 'desc')
      .limit(FACET_ROWS_MAX + 1)
      .execute()
    expect(counted).toBe(Math.min(rows.length, FACET_ROWS_MAX))
    const pairs = [
      ['model', 'model_name'],
      ['endpoint', 'endpoint'],
      ['channel', 'channel'],
    ] as const
    for (const [facet, column] of pairs) {
      const values = rows.map((row) => String(row[column]))
      const counts = [...new Set(values)].map((value) => ({
        value,
        count: values.filter((other) => other === value).length,
      }))
      expect(facets.get(facet) ?? []).toEqual(counts.toSorted((x, y) => y.count - x.count))
    }
  })

  test('facets count the newest rows of a group with more rows than are counted', async () => {
    const filter = { ...ALL, group: 'team' }
    const { counted, more, facets } = await countFacets(database.kysely, filter, { isAdmin: true })
    expect({ counted, more }).toEqual({ counted: 10_000, more: true })
    // The rare values are of the oldest rows.
    expect(facets.get('model')).toEqual([{ value: 'gpt-4o', count: 10_001 }])
  })

  test('a part is not weighed once a value is rare', async () => {
    const { found, rare } = await withPlan(
      database.kysely,
      { ...ALL, group: 'vip', model_part: 'o3' },
      { ids: ANY_ID },
    )
    expect(rare).toEqual(ofEndpoints('chat', 'images'))
    expect(found).toEqual({ model_name: { values: ['o3-pro'], isRare: false } })
  })
})
