import { CompiledQuery } from 'kysely'
import { describe, expect, test } from 'vitest'
import { DATABASES, openEmptyDatabase, openTestDatabase } from '../../testing/harness/databases.ts'
import { leaveFormerDatabase } from '../../testing/harness/former-database.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { statementsDuring } from '../../testing/harness/statements.ts'
import { listBusiestChannels, listChannelBuckets } from './channel-usage.ts'
import { openDatabase } from './database.ts'
import type { HourSpan } from './hour-span.ts'
import {
  HISTOGRAM_BUCKETS,
  type HourCosts,
  type HourSavings,
  type HourTimes,
  type RollupsTable,
} from './hour-tables.ts'
import { listDaysOfUser, sumFigures } from './rollups.ts'
import { sumCharged } from './sum-charged.ts'
import { listTopUsers } from './top-users.ts'
import { listTopModels, listUsageBuckets, sumCacheUse } from './usage.ts'

/** Rows of versions before costs. */
type OldRollup = Omit<RollupsTable, keyof (HourCosts & HourSavings)>

const HOURS_PER_DAY = 24
const FIRST_DAY = 20_000
const DAYS = 6
const FIRST_HOUR = FIRST_DAY * HOURS_PER_DAY
const USERS = 12
const MODELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const SHOWN = 3

const NOTHING = HISTOGRAM_BUCKETS.flatMap((bucket) => [
  [`latency_${bucket}`, 0],
  [`first_token_${bucket}`, 0],
])
const NO_TIMES = Object.fromEntries(NOTHING) as HourTimes // safe because no bucket is left out

/** Deterministic pseudo-random numbers. */
function createChance() {
  let state = 1
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

function someRollups(): OldRollup[] {
  const chance = createChance()
  const rows = Array.from({ length: 900 }, (_, index) => {
    const user = 1 + chance(USERS)
    return {
      hour: FIRST_HOUR + chance(DAYS * HOURS_PER_DAY),
      user_id: user,
      token_id: user * 100 + (index % 3),
      channel_id: chance(5),
      model_name: MODELS[chance(MODELS.length)] ?? '',
      requests: 1 + chance(9),
      failures: chance(2),
      quota: chance(1000),
      prompt_tokens: chance(100),
      completion_tokens: chance(100),
      cached_tokens: chance(50),
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      ...NO_TIMES,
      latency_3: chance(4),
    }
  })
  const keyOf = ({ hour, user_id, token_id, channel_id, model_name }: OldRollup) =>
    [hour, user_id, token_id, channel_id, model_name].join()
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()]
}

const ROLLUPS = someRollups()

const dayOf = (hour: number) => Math.floor(hour / HOURS_PER_DAY)

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

const DAYS_OF_BOOKS = Object.values(
  Object.groupBy(ROLLUPS, ({ token_id, hour }) => `${token_id} ${dayOf(hour)}`),
).flatMap((rows = []) =>
  rows.slice(0, 1).map(({ user_id, token_id, hour }) => ({
    user_id,
    token_id,
    day: dayOf(hour),
    charged: sumFigures(rows).quota,
    token_charged: 0,
    uncollected: 0,
    requests: sumFigures(rows).requests,
  })),
)

/** Sums per name, highest first. */
function ranked(rows: readonly OldRollup[], nameOf: (row: OldRollup) => object) {
  const groups = [...Map.groupBy(rows, (row) => JSON.stringify(nameOf(row)))]
  return groups
    .map(([name, its]) => ({ ...JSON.parse(name), ...sumFigures(its) }))
    .toSorted((one, other) => other.quota - one.quota || other.requests - one.requests)
    .slice(0, SHOWN)
}

const isWithin =
  ({ firstHour, endHour }: HourSpan) =>
  ({ hour }: OldRollup) =>
    hour >= firstHour && hour < endHour

const SPANS: [what: string, from: number, to: number, offsetHours: number][] = [
  ['whole days', 0, DAYS * HOURS_PER_DAY, 0],
  ['more than there is', -100, 1000, 0],
  ['days of another clock', -8, 128, 8],
  ['days and hours on both sides', 7, 131, 0],
  ['hours of one day', 5, 19, 0],
  ['hours around a midnight', 20, 30, 0],
  ['hours up to a midnight', 20, 24, 0],
  ['one day', 24, 48, 0],
]

const spanOf = (from: number, to: number, offsetHours: number): HourSpan => ({
  firstHour: FIRST_HOUR + from,
  endHour: FIRST_HOUR + to,
  offsetHours,
})

describe.each(DATABASES)('on %s', (kind) => {
  /** A database of the previous version with these sums. */
  const place = openOnce(async () => {
    const former = await openEmptyDatabase(kind)
    await leaveFormerDatabase(former, '0004-channel-status-time', async (kysely) => {
      await kysely.insertInto('rollups').values(ROLLUPS).execute()
      await kysely.insertInto('ledger_days').values(DAYS_OF_BOOKS).execute()
    })
    return former
  })
  const database = openOnce(() => openDatabase(place))

  test.each(SPANS)('usage of models and users in %s adds up', async (_what, ...span) => {
    const hours = spanOf(...span)
    const rows = ROLLUPS.filter(isWithin(hours))
    const { kysely } = database
    const models = await listTopModels(kysely, { hours, userId: null }, SHOWN)
    expect(models).toEqual(ranked(rows, ({ model_name }) => ({ model_name })))
    const users = await listTopUsers(kysely, hours, SHOWN)
    expect(users).toEqual(ranked(rows, ({ user_id }) => ({ user_id, username: '' })))
    for (const userId of [null, 1, 2]) {
      const own = rows.filter(({ user_id }) => userId === null || user_id === userId)
      const shown = { step: 'day', named: ['a', 'b'] } as const
      const buckets = await listUsageBuckets(kysely, { hours, userId }, shown)
      expect(sumFigures(buckets)).toEqual(sumFigures(own))
      const cached_tokens = sum(own.map((row) => row.cached_tokens))
      const cache = { cached_tokens, saved_quota: 0 }
      expect(await sumCacheUse(kysely, { hours, userId })).toEqual(cache)
      const start = (dayOf(hours.firstHour + hours.offsetHours) + 1) * HOURS_PER_DAY
      const later = buckets.filter((bucket) => bucket.start / 3600 >= start - hours.offsetHours)
      expect(sumFigures(later)).toEqual(
        sumFigures(own.filter(({ hour }) => hour >= start - hours.offsetHours)),
      )
    }
  })

  test.each(SPANS)('usage of channels in %s adds up', async (_what, ...span) => {
    const hours = spanOf(...span)
    const rows = ROLLUPS.filter(isWithin(hours))
    const ids = await listBusiestChannels(database.kysely, hours, 10)
    expect(new Set(ids)).toEqual(new Set(rows.map(({ channel_id }) => channel_id).filter(Boolean)))
    const buckets = await listChannelBuckets(database.kysely, { hours, ids: [1, 2], step: 'hour' })
    const through = rows.filter(({ channel_id }) => channel_id === 1 || channel_id === 2)
    expect(sumFigures(buckets)).toEqual(sumFigures(through))
    const slow = buckets.map(({ latency }) => latency[3] ?? 0)
    expect(sum(slow)).toBe(sum(through.map(({ latency_3 }) => latency_3)))
  })

  test('only the hours outside of full days are read from hourly rollups', async () => {
    const read = async () => {
      const { kysely } = database
      const hours = spanOf(0, DAYS * HOURS_PER_DAY, 0)
      const step = 'day'
      return [
        await listTopModels(kysely, { hours, userId: null }, SHOWN),
        await listTopModels(kysely, { hours, userId: 1 }, SHOWN),
        await listUsageBuckets(kysely, { hours, userId: null }, { step, named: ['a'] }),
        await listTopUsers(kysely, hours, SHOWN),
        await listBusiestChannels(kysely, hours, SHOWN),
        await listChannelBuckets(kysely, { hours, ids: [1], step }),
        await listDaysOfUser(kysely, { userId: 1, firstDay: FIRST_DAY }),
      ]
    }
    const before = await read()
    await database.kysely.deleteFrom('rollups').execute()
    expect(await read()).toEqual(before)
    await database.kysely.insertInto('rollups').values(ROLLUPS).execute()
  })

  test("charges until now are summed without reading this hour's log", async () => {
    const { kysely } = database
    const start = FIRST_HOUR * 3600
    const nowSeconds = start + DAYS * 86_400 - 1800
    const sumUntil = (end_timestamp: number) => {
      const filter = { type: 0, token_name: '', model_name: '', start_timestamp: start }
      return sumCharged(kysely, { ...filter, end_timestamp }, nowSeconds)
    }
    const all = sum(ROLLUPS.map(({ quota }) => quota))
    const asked = await statementsDuring(async () => {
      for (const end of [0, nowSeconds, nowSeconds + 3600]) expect(await sumUntil(end)).toBe(all)
    })
    expect(asked).toHaveLength(3)
    expect(asked.filter((text) => text.includes('"logs"'))).toEqual([])
    expect(await sumUntil(nowSeconds - 1)).toBeLessThan(all)
  })
})

test('no statistics query of SQLite scans a full table', async () => {
  const place = await openTestDatabase('sqlite')
  const { kysely, close } = await openDatabase(place)
  const hours = spanOf(7, 131, 0)
  const filter = { type: 0, token_name: '', start_timestamp: 1, end_timestamp: FIRST_HOUR * 3600 }
  const sumOf = (wanted: { model_name?: string; channel?: number; userId?: number }) =>
    sumCharged(kysely, { ...filter, model_name: '', ...wanted }, Number.MAX_SAFE_INTEGER)
  const asked = await statementsDuring(async () => {
    for (const userId of [null, 1]) {
      await listTopModels(kysely, { hours, userId }, SHOWN)
      await listUsageBuckets(kysely, { hours, userId }, { step: 'day', named: ['a'] })
    }
    await listTopUsers(kysely, hours, SHOWN)
    await listBusiestChannels(kysely, hours, SHOWN)
    await listChannelBuckets(kysely, { hours, ids: [1], step: 'day' })
    await listDaysOfUser(kysely, { userId: 1, firstDay: FIRST_DAY })
    for (const wanted of [{}, { model_name: 'a' }, { channel: 1 }, { userId: 1 }]) {
      await sumOf(wanted)
    }
  })
  const plans = asked.map((text) => CompiledQuery.raw(`explain query plan ${text}`))
  const details: string[] = []
  for (const plan of plans) {
    const { rows } = await kysely.executeQuery<{ detail: string }>(plan)
    details.push(...rows.map(({ detail }) => detail))
  }
  await close()
  await place.close()
  expect(details.length).toBeGreaterThan(asked.length)
  expect(
    details.filter((detail) => /^SCAN \w*(hours|rollups|days|logs|usage)/.test(detail)),
  ).toEqual([])
  const ofRollups = details.filter((detail) => detail.includes(' rollups '))
  expect(ofRollups).toHaveLength(2)
  for (const detail of ofRollups) expect(detail).toContain('(hour>? AND hour<?)')
})
