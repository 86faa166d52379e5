import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  FACET_VALUES_MAX,
  LOG_RESULTS,
  LOG_TYPE,
  type LogFacet,
  type LogResult,
  resultOf,
  TOTAL_COUNT_MAX,
} from '@tollgate/contract'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { logRow } from '../../testing/worlds/log-row.ts'
import { userRow } from '../../testing/worlds/user-row.ts'
import { openDatabase } from './database.ts'
import { countFacets } from './log-facets.ts'
import { filtered, type LogFilter } from './log-filter.ts'
import { withPlan } from './log-plan.ts'
import { listLogs } from './logs.ts'
import { sumCharged } from './sum-charged.ts'

const T = 1_700_000_000
const ROWS = 300
/** A sorted page looks for its bound near the newest row, and later rows are far from these. */
const EARLIER = ROWS / 2
const RUNS = 150
const USERS = ['Zhang_3', 'zhang', 'carol', 'x%y']
const MODELS = ['', 'gpt-5', 'gpt-5-mini', 'Claude']
const TOKENS = ['', 'web', 'WEB_2', 'cron']
const ENDPOINTS = ['', 'chat', 'embeddings']
const GROUPS = ['', 'default', 'vip']
const PARTS = ['', 'gpt', '*5*i', 'web', 'zhang', '_', '%', 'absent']
/** Imports and earlier versions may have left pairs that no request has today. */
const ENDS = [
  ['settled', 'finished'],
  ['settled', ''],
  ['settled', 'broken_stream'],
  ['settled', 'no_channel'],
  ['settled', 'client_left'],
  ['void', 'no_channel'],
  ['void', 'client_left'],
  ['void', 'finished'],
  ['refused', 'client_left'],
  ['refused', 'token_limit'],
  ['', ''],
] as const
const ERRORS = [...new Set(ENDS.map(([, reason]) => reason))]

/** Every combination of values comes up, since the steps of the counters differ. */
const rowOf = (n: number) => {
  const at = <Value>(list: readonly Value[], step: number) =>
    list[Math.floor((n * 7919) / step) % list.length] as Value // safe because no list is empty
  const [outcome, end_reason] = at(ENDS, 1)
  const isRequest = outcome !== ''
  const user = at([0, 1, 2, 3], 11)
  return {
    ...logRow(isRequest ? `r${n}` : null, T + n),
    id: n <= EARLIER ? n : n + 30_000,
    user_id: user + 1,
    username: at(USERS, 11),
    type: isRequest ? LOG_TYPE.consume : at([LOG_TYPE.topup, LOG_TYPE.manage], 13),
    model_name: isRequest ? at(MODELS, 7) : '',
    token_name: isRequest ? at(TOKENS, 29) : '',
    endpoint: isRequest ? at(ENDPOINTS, 5) : '',
    group: isRequest ? at(GROUPS, 37) : '',
    channel: isRequest ? at([0, 1, 2], 17) : 0,
    is_stream: isRequest ? at([0, 1] as const, 3) : (0 as const),
    quota: outcome === 'void' || outcome === 'refused' ? 0 : (n * 31) % 50,
    elapsed_time: isRequest ? (n * 17) % 60 : 0,
    outcome,
    end_reason,
  }
}

const ALL = Array.from({ length: ROWS }, (_, index) => rowOf(index + 1))
type Row = (typeof ALL)[number]

function hasPart(text: string, part: string): boolean {
  const escaped = part.split('*').map((piece) => piece.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(escaped.join('.*'), 'i').test(text)
}

const isWithin = (value: number, min: number | null = null, max: number | null = null) =>
  (min === null || value >= min) && (max === null || value <= max)

function matches(row: Row, filter: LogFilter): boolean {
  const { outcome = [], min_quota, max_quota, min_duration, max_duration } = filter
  const result = resultOf(row)
  const isBounded = [min_quota, max_quota, min_duration, max_duration].some((it) => it !== null)
  return (
    (filter.userId === undefined || row.user_id === filter.userId) &&
    (filter.type === 0 || row.type === filter.type) &&
    (filter.model_name === '' || row.model_name === filter.model_name) &&
    (filter.token_name === '' || row.token_name === filter.token_name) &&
    (filter.username === '' || row.username === filter.username) &&
    (filter.channel === 0 || row.channel === filter.channel) &&
    (outcome.length === 0 || (result !== null && outcome.includes(result))) &&
    (filter.error === '' || row.end_reason === filter.error) &&
    (filter.endpoint === '' || row.endpoint === filter.endpoint) &&
    (filter.group === '' || row.group === filter.group) &&
    (filter.stream === '' ||
      (row.outcome !== '' && row.is_stream === (filter.stream === 'true' ? 1 : 0))) &&
    hasPart(row.model_name, filter.model_part ?? '') &&
    hasPart(row.token_name, filter.token_part ?? '') &&
    hasPart(row.username, filter.user_part ?? '') &&
    (!isBounded || row.outcome !== '') &&
    isWithin(row.quota, min_quota, max_quota) &&
    isWithin(row.elapsed_time, min_duration, max_duration)
  )
}

const rarely = <Value>(none: Value, values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: values })

const bound = (max: number) => rarely<number | null>(null, fc.nat({ max }))

const CONDITIONS: fc.Arbitrary<LogFilter> = fc.record({
  type: rarely(0, fc.constantFrom(LOG_TYPE.topup, LOG_TYPE.consume, LOG_TYPE.manage)),
  model_name: rarely('', fc.constantFrom('gpt-5', 'absent')),
  token_name: rarely('', fc.constantFrom('web', 'absent')),
  username: rarely('', fc.constantFrom('carol', 'absent')),
  channel: rarely(0, fc.constantFrom(1, 2)),
  start_timestamp: fc.constant(0),
  end_timestamp: fc.constant(0),
  outcome: rarely<readonly LogResult[]>([], fc.subarray([...LOG_RESULTS])),
  error: rarely('', fc.constantFrom(...ERRORS)),
  endpoint: rarely('', fc.constantFrom(...ENDPOINTS)),
  group: rarely('', fc.constantFrom(...GROUPS, 'absent')),
  stream: rarely<'' | 'true' | 'false'>('', fc.constantFrom('true', 'false')),
  model_part: rarely('', fc.constantFrom(...PARTS)),
  token_part: rarely('', fc.constantFrom(...PARTS)),
  user_part: rarely('', fc.constantFrom(...PARTS)),
  min_quota: bound(50),
  max_quota: bound(50),
  min_duration: bound(60),
  max_duration: bound(60),
})

const FILTER: fc.Arbitrary<LogFilter> = fc
  .tuple(CONDITIONS, rarely(0, fc.constantFrom(1, 2, 9)))
  .map(([filter, userId]) => (userId === 0 ? filter : { ...filter, userId }))

describe.each(DATABASES)('filters of the log on %s', (kind) => {
  const place = openOnce(() => openTestDatabase(kind))
  const database = openOnce(() => openDatabase(place))

  beforeAll(async () => {
    const users = USERS.map((name, index) => userRow(name, { id: index + 1, display_name: '' }))
    await database.kysely.insertInto('users').values(users).execute()
    await database.kysely.insertInto('logs').values(ALL).execute()
  })

  const check = (verify: (filter: LogFilter, expected: Row[]) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(FILTER, (filter) =>
        verify(
          filter,
          ALL.filter((row) => matches(row, filter)),
        ),
      ),
      { numRuns: RUNS },
    )

  const sum = (rows: readonly Row[]) => rows.reduce((total, { quota }) => total + quota, 0)

  test('a page has the rows that match, newest first, and their number', async () => {
    await check(async (filter, expected) => {
      const page = { p: 0, size: TOTAL_COUNT_MAX, order: 'desc' } as const
      const { rows, total } = await listLogs(database.kysely, filter, page)
      expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).toReversed())
      expect(total).toBe(expected.length)
    })
  })

  test.each([
    ['elapsed_time', 'desc', [undefined, ROWS / 3], 1],
    ['quota', 'asc', [undefined], 0],
  ] as const)('a page sorted by %s (%s) has the next rows', async (sort, order, befores, p) => {
    const sign = order === 'asc' ? 1 : -1
    await check(async (filter, expected) => {
      for (const before of befores) {
        const page = { p, size: 5, sort, order, before }
        const { rows } = await listLogs(database.kysely, filter, page)
        const sorted = expected
          .filter(({ id }) => before === undefined || id < before)
          .toSorted((a, b) => sign * (a[sort] - b[sort] || a.id - b.id))
        const shown = sorted.slice(5 * p, 5 * p + 5)
        expect(rows.map(({ id }) => id)).toEqual(shown.map(({ id }) => id))
      }
    })
  })

  test('facets count the rows that match', async () => {
    await check(async (filter, expected) => {
      const { counted, facets } = await countFacets(database.kysely, filter, { isAdmin: true })
      expect(counted).toBe(expected.length)
      const countOf = (name: LogFacet) =>
        (facets.get(name) ?? []).reduce((total, { count }) => total + count, 0)
      const requests = expected.filter(({ outcome }) => outcome !== '')
      expect(FACET_VALUES_MAX).toBeGreaterThan(USERS.length)
      expect(countOf('outcome')).toBe(requests.length)
      expect(countOf('user')).toBe(expected.length)
      expect(countOf('model')).toBe(expected.filter((row) => row.model_name !== '').length)
    })
  })

  test('a sum is of the requests that match', async () => {
    await check(async (filter, expected) => {
      // Without conditions of rows, sums are of the rollups.
      const logged = { ...filter, min_quota: filter.min_quota ?? 0 }
      const requests = expected.filter(({ outcome }) => outcome !== '')
      const charged = filter.type === 0 || filter.type === LOG_TYPE.consume
      if (!charged) return
      expect(await sumCharged(database.kysely, logged, T + ROWS)).toBe(sum(requests))
    })
  })

  test('frequent values are found without their index', async () => {
    await check(async (filter, expected) => {
      const ids = { min: null, max: null }
      const { found = {}, ...rest } = await withPlan(database.kysely, filter, { ids })
      const frequent = Object.fromEntries(
        Object.entries(found).map(([column, values]) => [column, { ...values, isRare: false }]),
      )
      const all = filtered(database.kysely.selectFrom('logs').select('id'), {
        ...rest,
        found: frequent,
        rare: null,
      })
      const rows = await all.orderBy('id').execute()
      expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    })
  })
})
