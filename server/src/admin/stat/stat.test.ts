import { beforeAll, describe, expect, test } from 'vitest'
import {
  ROLE,
  STAT_BUSIEST_MAX,
  STAT_MODELS_MAX,
  STAT_TOP_MAX,
  statEndpoints,
} from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** 2026-03-01 00:00 UTC; the previous day belongs to another month. */
const MARCH = Date.UTC(2026, 2, 1) / 1000

const usageOf = (data: unknown) => statEndpoints.getUsage.parts.data.parse(data)
const ownUsageOf = (data: unknown) => statEndpoints.getOwnUsage.parts.data.parse(data)

describePlanes('usage on %s', ['admin'], ({ plane, admin }) => {
  /** Runs a request through the ledger at a given time. */
  async function spendAt(at: number, use: Omit<Parameters<typeof spend>[1], 'at' | 'tokenId'>) {
    plane.clock.now = at * 1000
    await spend(plane.ledger, { tokenId: await tokenOf(use.by.id), at, ...use })
  }

  async function tokenOf(user_id: number) {
    const [known] = await storedRows(plane, 'tokens', { user_id })
    if (known) return known.id
    const session = await plane.signIn(user_id)
    return plane.addToken({ id: user_id, username: '', role: ROLE.user, session })
  }

  type Span = { from: number; to: number; step?: 'hour' | 'day'; offset?: number }

  const queryOf = ({ from, to, step = 'day', offset = 0 }: Span) =>
    `start_timestamp=${from}&end_timestamp=${to}&step=${step}&utc_offset=${offset}`

  const get = async (path: string, person: Person) =>
    plane.call('GET', path, { as: await plane.signIn(person.id) })

  const usage = async (span: Span) =>
    usageOf((await get(`/api/stat/?${queryOf(span)}`, admin)).data)

  const ownUsage = async (person: Person, span: Span) =>
    ownUsageOf((await get(`/api/stat/self?${queryOf(span)}`, person)).data)

  const starts = ({ buckets }: { buckets: { start: number; quota: number }[] }) =>
    buckets.map(({ start, quota }) => [start, quota])

  test('usage is what the ledger charged, and failures count without a charge', async () => {
    const at = MARCH + 100 * DAY
    const ann = await plane.addPerson(ROLE.user, 1000)
    const bob = await plane.addPerson(ROLE.user, 50)
    await spendAt(at, { by: ann, cost: 30 })
    await spendAt(at + HOUR, { by: ann, cost: 7, model: 'o3' })
    await spendAt(at + DAY, { by: bob, cost: 50 })
    await spendAt(at + DAY, { by: ann, cost: 11, fails: true })
    const all = await usage({ from: at, to: at + 2 * DAY })
    const days = (await storedRows(plane, 'ledger_days')).filter(
      ({ day }) => day >= at / DAY && day < at / DAY + 2,
    )
    const books = {
      quota: days.reduce((sum, { charged }) => sum + charged, 0),
      requests: days.reduce((sum, { requests }) => sum + requests, 0),
    }
    const sums = { requests: 4, failures: 1, quota: 87 }
    expect(sums).toMatchObject(books)
    expect(all.total).toEqual({ ...sums, prompt_tokens: 3, completion_tokens: 0 })
    for (const rows of [all.buckets, all.models, all.users]) {
      const added = { requests: 0, failures: 0, quota: 0 }
      for (const row of rows) {
        added.requests += row.requests
        added.failures += row.failures
        added.quota += row.quota
      }
      expect(added).toEqual(sums)
    }
    expect(all).toMatchObject({
      buckets: [
        { start: at, model_name: 'gpt-4o', quota: 30 },
        { start: at, model_name: 'o3', quota: 7 },
        { start: at + DAY, model_name: 'gpt-4o', quota: 50 },
      ],
      models: [
        { model_name: 'gpt-4o', quota: 80 },
        { model_name: 'o3', quota: 7 },
      ],
      users: [
        { user_id: bob.id, username: bob.username, quota: 50 },
        { user_id: ann.id, username: ann.username, quota: 37 },
      ],
    })
  })

  test('users see their own usage only', async () => {
    const at = MARCH + 200 * DAY
    const ann = await plane.addPerson(ROLE.user, 100)
    const bob = await plane.addPerson(ROLE.root, 100)
    await spendAt(at, { by: ann, cost: 3 })
    await spendAt(at, { by: bob, cost: 5, model: 'o3' })
    const span = { from: at, to: at + DAY }
    const own = await ownUsage(ann, span)
    expect(own.models.map(({ model_name }) => model_name)).toEqual(['gpt-4o'])
    expect([own.total.quota, starts(own)]).toEqual([3, [[at, 3]]])
    expect((await ownUsage(bob, span)).total.quota).toBe(5)
    const ofAnn = await get(`/api/stat/user/${ann.id}?${queryOf(span)}`, admin)
    expect(ownUsageOf(ofAnn.data)).toEqual(own)
    const foreign = await get(`/api/stat/self?${queryOf(span)}&user_id=${bob.id}`, ann)
    expect(ownUsageOf(foreign.data).total.quota).toBe(3)
  })

  test("days begin at the caller's midnight, also at the end of a month", async () => {
    const ann = await plane.addPerson(ROLE.user, 2000)
    const hours = [-10, -9, -8, -1, 0, 2, 3, 4, 15, 16]
    for (const [index, hour] of hours.entries()) {
      await spendAt(MARCH + hour * HOUR, { by: ann, cost: 2 ** index })
    }
    const wide = { from: MARCH - 2 * DAY, to: MARCH + 2 * DAY }
    expect(starts(await ownUsage(ann, wide))).toEqual([
      [MARCH - DAY, 1 + 2 + 4 + 8],
      [MARCH, 16 + 32 + 64 + 128 + 256 + 512],
    ])
    expect(starts(await ownUsage(ann, { ...wide, offset: 480 }))).toEqual([
      [MARCH - DAY - 8 * HOUR, 1 + 2],
      [MARCH - 8 * HOUR, 4 + 8 + 16 + 32 + 64 + 128 + 256],
      [MARCH + DAY - 8 * HOUR, 512],
    ])
    expect(starts(await ownUsage(ann, { ...wide, offset: -210 }))).toEqual([
      [MARCH - DAY + 4 * HOUR, 1 + 2 + 4 + 8 + 16 + 32 + 64],
      [MARCH + 4 * HOUR, 128 + 256 + 512],
    ])
    const midnight = MARCH - 8 * HOUR
    const day = { from: midnight, to: midnight + DAY, offset: 480 }
    expect((await ownUsage(ann, day)).total.quota).toBe(4 + 8 + 16 + 32 + 64 + 128 + 256)
  })

  test('by hour, the offset has no effect', async () => {
    const ann = await plane.addPerson(ROLE.user, 1000)
    await spendAt(MARCH, { by: ann, cost: 1 })
    await spendAt(MARCH + HOUR - 1, { by: ann, cost: 2 })
    await spendAt(MARCH + HOUR, { by: ann, cost: 4 })
    const span = { from: MARCH, to: MARCH + HOUR + 1, step: 'hour' } as const
    const expected = [
      [MARCH, 3],
      [MARCH + HOUR, 4],
    ]
    for (const offset of [0, 480]) {
      expect(starts(await ownUsage(ann, { ...span, offset }))).toEqual(expected)
    }
  })

  test('models beyond six are summed without a name, the cheapest ones', async () => {
    const ann = await plane.addPerson(ROLE.user, 10_000)
    const at = MARCH + 300 * DAY
    const models = Array.from({ length: STAT_TOP_MAX + 2 }, (_, index) => `model-${index}`)
    for (const [index, model] of models.entries()) {
      await spendAt(at, { by: ann, cost: 100 * (index + 1), model })
    }
    const { total, models: top, buckets } = await ownUsage(ann, { from: at, to: at + DAY })
    const greatest = models.toReversed()
    expect(top.map(({ model_name }) => model_name)).toEqual(greatest.slice(0, STAT_TOP_MAX))
    const named = greatest.slice(0, STAT_MODELS_MAX)
    const names = buckets.map(({ model_name }) => model_name)
    expect(names.toSorted()).toEqual(['', ...named].toSorted())
    const rest = buckets.find(({ model_name }) => model_name === '')
    expect(rest).toMatchObject({ quota: 2100, requests: 6 })
    expect(total.quota).toBe(7800)
  })

  test('models with the same cost are ordered by their use', async () => {
    const ann = await plane.addPerson(ROLE.user, 100)
    const at = MARCH + 310 * DAY
    for (const model of ['a', 'b', 'c', 'b', 'c', 'b']) {
      await spendAt(at, { by: ann, cost: 0, model })
    }
    const { models } = await ownUsage(ann, { from: at, to: at + DAY })
    const shown = models.map(({ model_name, requests }) => `${model_name} ${requests}`)
    expect(shown).toEqual(['b 3', 'c 2', 'a 1'])
  })

  test('deleted users are listed, unknown ones without a name', async () => {
    const at = MARCH + 320 * DAY
    const gone = await plane.addPerson(ROLE.user, 9)
    const unknown = await plane.addPerson(ROLE.user, 9)
    await spendAt(at, { by: gone, cost: 9 })
    await spendAt(at, { by: unknown, cost: 4 })
    await plane.done('DELETE', `/api/user/${gone.id}`, { as: await plane.signIn(admin.id) })
    await plane.database.kysely.deleteFrom('users').where('id', '=', unknown.id).execute()
    const { users } = await usage({ from: at, to: at + DAY })
    expect(users).toMatchObject([
      { user_id: gone.id, quota: 9, username: expect.stringMatching(/^deleted_/) },
      { user_id: unknown.id, quota: 4, username: '' },
    ])
  })

  test('the ten users with the highest spend are named, and the total includes all', async () => {
    const at = MARCH + 330 * DAY
    for (let cost = 1; cost <= STAT_TOP_MAX + 2; cost++) {
      await spendAt(at, { by: await plane.addPerson(ROLE.user, 100), cost })
    }
    const { users, total } = await usage({ from: at, to: at + DAY })
    expect(users.map(({ quota }) => quota)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(total.quota).toBe(78)
  })

  test('a span without requests is empty', async () => {
    const span = { from: MARCH - 300 * DAY, to: MARCH - 299 * DAY }
    const nothing = { requests: 0, failures: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 }
    const empty = { total: nothing, buckets: [], models: [], yesterday_so_far: {} }
    expect(await usage(span)).toMatchObject({ ...empty, users: [] })
    expect(await ownUsage(admin, span)).toMatchObject(empty)
    const { data } = await get(`/api/stat/channels?${queryOf(span)}`, admin)
    expect(data).toEqual([])
  })

  test.each([
    ['end_timestamp', { from: MARCH, to: MARCH }],
    ['end_timestamp', { from: MARCH, to: MARCH - 1 }],
    ['start_timestamp', { from: MARCH, to: MARCH + 15 * DAY + 1, step: 'hour' }],
    ['start_timestamp', { from: MARCH, to: MARCH + 400 * DAY + 1 }],
    ['start_timestamp', { from: 0, to: MARCH }],
    ['utc_offset', { from: MARCH, to: MARCH + DAY, offset: 841 }],
  ] satisfies [string, Span][])('an invalid %s is named: %o', async (field, span) => {
    for (const path of ['/api/stat/', '/api/stat/self', '/api/stat/channels']) {
      const { status, success, message } = await get(`${path}?${queryOf(span)}`, admin)
      expect([status, success]).toEqual([200, false])
      expect(message).toContain(`"${field}"`)
    }
  })

  test('the longest spans are answered', async () => {
    for (const span of [
      { from: MARCH, to: MARCH + 400 * DAY },
      { from: MARCH, to: MARCH + 15 * DAY, step: 'hour' } as const,
    ]) {
      expect((await get(`/api/stat/?${queryOf(span)}`, admin)).success).toBe(true)
    }
  })

  describe('by channel', () => {
    const at = MARCH + 340 * DAY
    const span = { from: at, to: at + DAY, step: 'hour' } as const
    const answerSchema = statEndpoints.listChannelStats.parts.data
    let live: number
    let gone: number

    const stats = async (ids = '') => {
      const path = `/api/stat/channels?${queryOf(span)}&ids=${ids}`
      return answerSchema.parse((await get(path, admin)).data)
    }

    beforeAll(async () => {
      const as = { ...admin, session: await plane.signIn(admin.id) }
      live = await plane.addChannel(as, { name: 'live' })
      gone = await plane.addChannel(as, { name: 'gone' })
      const ann = await plane.addPerson(ROLE.user, 1000)
      const through = (
        channel: number,
        hour: number,
        more: { fails?: boolean; elapsedMs?: number },
      ) => spendAt(at + hour * HOUR, { by: ann, cost: 2, channel, firstTokenMs: 70, ...more })
      await through(live, 0, { elapsedMs: 200 })
      await through(live, 0, { elapsedMs: 240 })
      await through(live, 3, { elapsedMs: 70_000 })
      await through(live, 3, { fails: true })
      await through(live, 5, { fails: true })
      await through(gone, 1, { elapsedMs: 400 })
      await through(0, 1, { fails: true })
      const later = await plane.signIn(admin.id)
      await plane.done('DELETE', `/api/channel/${gone}`, { as: later })
    })

    test('the busiest come first, a deleted one without a name; requests without a channel are omitted', async () => {
      expect(await stats()).toMatchObject([
        { channel_id: live, name: 'live', requests: 5, failures: 2, quota: 6 },
        { channel_id: gone, name: '', requests: 1, failures: 0, quota: 2 },
      ])
    })

    test('times are estimated from the histogram, and null without measurements', async () => {
      const [row] = await stats(String(live))
      const times = { latency_p50: 213, latency_p95: 60_000, first_token_p50: 50 }
      expect(row).toMatchObject(times)
      expect(row?.buckets).toEqual([
        { start: at, requests: 2, failures: 0, latency_p50: 175 },
        { start: at + 3 * HOUR, requests: 2, failures: 1, latency_p50: 60_000 },
        { start: at + 5 * HOUR, requests: 1, failures: 1, latency_p50: null },
      ])
    })

    test('requested channels are shown, and a channel without requests has no row', async () => {
      const idsOf = async (ids: string) => (await stats(ids)).map(({ channel_id }) => channel_id)
      expect(await idsOf(`${gone},${gone},999999`)).toEqual([gone])
      expect(await idsOf('0')).toEqual([])
      expect(await idsOf('999999999999999')).toEqual([])
    })

    test('the busiest twenty channels are shown unless others are requested', async () => {
      const later = at + 10 * DAY
      const ann = await plane.addPerson(ROLE.user, 1000)
      const most = STAT_BUSIEST_MAX + 1
      for (let channel = 1; channel <= most; channel++) {
        await spendAt(later, { by: ann, cost: 0, channel: 5000 + channel })
        if (channel > 1) await spendAt(later, { by: ann, cost: 0, channel: 5000 + channel })
      }
      const ask = async (ids: string) => {
        const query = queryOf({ from: later, to: later + DAY })
        const { data } = await get(`/api/stat/channels?${query}&ids=${ids}`, admin)
        return answerSchema.parse(data).map(({ channel_id }) => channel_id)
      }
      const all = Array.from({ length: most }, (_, index) => 5001 + index)
      expect(await ask('')).toEqual(all.slice(1))
      expect(await ask(all.join())).toEqual([...all.slice(1), 5001])
    })

    test('more than a hundred ids, or an invalid id, is refused', async () => {
      const wrong = ['x', '1,', ',1', '-1', '1.5', '1;2', `${'1,'.repeat(100)}1`]
      for (const ids of wrong) {
        const path = `/api/stat/channels?${queryOf(span)}&ids=${encodeURIComponent(ids)}`
        const { success, message } = await get(path, admin)
        expect(success, ids).toBe(false)
        expect(message).toContain('"ids"')
      }
    })
  })
})
