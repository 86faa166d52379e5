import { beforeAll, expect, test } from 'vitest'
import { EXPLORED_ROWS_MAX, ROLE, statEndpoints } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** A midnight in UTC. */
const TODAY = 19_700 * DAY

describePlanes('the usage explorer on %s', ['admin'], ({ plane, admin }) => {
  let ann: Person
  let bob: Person
  let token: number

  beforeAll(async () => {
    ann = await plane.addPerson(ROLE.user, 1_000_000)
    bob = await plane.addPerson(ROLE.user, 1_000_000)
    token = await plane.addToken(ann, { name: 'web', unlimited_quota: true })
    const other = await plane.addToken(bob, { name: 'cron', unlimited_quota: true })
    const use = (by: Person, tokenId: number, at: number, parts: object) => {
      plane.clock.now = at * 1000
      return spend(plane.ledger, { by, tokenId, at, cost: 0, ...parts })
    }
    await use(ann, token, TODAY - DAY + HOUR, { cost: 10, model: 'gpt-4o', elapsedMs: 50 })
    await use(ann, token, TODAY + HOUR, { cost: 30, model: 'gpt-4o', elapsedMs: 400 })
    await use(ann, token, TODAY + 2 * HOUR, { cost: 5, model: 'o3', providerCost: 4000 })
    await use(bob, other, TODAY + 2 * HOUR, { cost: 7, model: 'gpt-4o', channel: 3 })
    await use(bob, other, TODAY + 3 * HOUR, { model: 'gpt-4o', fails: true })
    await plane.ledger.whenApplied()
    plane.clock.now = (TODAY + 4 * HOUR) * 1000
  })

  const SPAN = `start_timestamp=${TODAY}&end_timestamp=${TODAY + DAY}&step=hour&utc_offset=0`
  const explore = async (query: string, as = admin) => {
    const path = as === admin ? '/api/stat/explore' : '/api/stat/self/explore'
    return (await plane.done('GET', `${path}?${SPAN}&${query}`, { as })).data
  }
  const row = (key: string, value: number, requests: number, previous: number | null = null) =>
    ({ key, label: key, value, previous, requests }) as const

  test('spend by model, by the hour, against yesterday', async () => {
    expect(await explore(`metric=quota&by=model&compare_start_timestamp=${TODAY - DAY}`)).toEqual({
      total: 42,
      previous: 10,
      filters: [],
      rows: [row('gpt-4o', 37, 3, 10), row('o3', 5, 1, 0)],
      more: false,
      buckets: [
        { start: TODAY + HOUR, key: 'gpt-4o', value: 30 },
        { start: TODAY + 2 * HOUR, key: 'gpt-4o', value: 7 },
        { start: TODAY + 2 * HOUR, key: 'o3', value: 5 },
        { start: TODAY + 3 * HOUR, key: 'gpt-4o', value: 0 },
      ],
    })
  })

  test.each([
    ['metric=requests&by=user', 4],
    ['metric=failures&by=user', 1],
    ['metric=prompt_tokens&by=channel', 3],
    ['metric=cached_tokens&by=channel', 0],
    ['metric=completion_tokens&by=group', 0],
    ['metric=provider_cost&by=model', 4000],
    ['metric=quota&by=group', 42],
    ['metric=quota&by=endpoint', 42],
    ['metric=requests&by=token', 4],
  ])('%s has the total %i', async (query, total) => {
    expect(await explore(query)).toMatchObject({ total })
  })

  test('users, tokens and channels have their names', async () => {
    expect(await explore('metric=quota&by=user')).toMatchObject({
      rows: [
        { key: String(ann.id), label: ann.username, value: 35 },
        { key: String(bob.id), label: bob.username, value: 7 },
      ],
    })
    expect(await explore('metric=quota&by=token')).toMatchObject({
      rows: [
        { key: String(token), label: 'web', owner: { id: ann.id, username: ann.username } },
        { label: 'cron', owner: { id: bob.id, username: bob.username } },
      ],
    })
    expect(await explore('metric=quota&by=token', ann)).toHaveProperty('rows', [
      { ...row(String(token), 35, 2), label: 'web' },
    ])
  })

  test('usage is narrowed to a model, a user, a token and a channel where such figures are kept', async () => {
    const gpt = { by: 'model', key: 'gpt-4o', label: 'gpt-4o' }
    const ofAnn = { by: 'user', key: String(ann.id), label: ann.username }
    const ofBob = { by: 'user', key: String(bob.id), label: bob.username }
    const owner = { id: ann.id, username: ann.username }
    const web = { by: 'token', key: String(token), label: 'web', owner }
    const third = { by: 'channel', key: '3', label: '3' }
    for (const [query, filters, total, keys] of [
      [`quota&by=model&user=${ann.id}`, [ofAnn], 35, ['gpt-4o', 'o3']],
      ['quota&by=user&model=gpt-4o', [gpt], 37, [ofAnn.key, ofBob.key]],
      ['quota&by=model&channel=3', [third], 7, ['gpt-4o']],
      ['quota&by=channel&channel=3', [third], 7, ['3']],
      [`requests&by=user&token=${token}`, [web], 2, [ofAnn.key]],
      [`quota&by=token&user=${ann.id}&model=o3`, [{ by: 'model', key: 'o3' }, ofAnn], 5, [web.key]],
      [`requests&by=endpoint&user=${bob.id}&channel=3`, [ofBob, third], 1, ['']],
      [`quota&by=endpoint&token=${token}&model=gpt-4o`, [gpt, web], 30, ['']],
      [`latency&by=model&user=${ann.id}&model=gpt-4o`, [gpt, ofAnn], 375, ['gpt-4o']],
    ] as const) {
      const rows = keys.map((key) => ({ key }))
      expect(await explore(`metric=${query}`), query).toMatchObject({ total, filters, rows })
    }
    for (const [query, field] of [
      [`metric=quota&by=group&user=${ann.id}`, '"by"'],
      ['metric=latency&by=group', '"metric"'],
    ]) {
      const path = `/api/stat/explore?${SPAN}&${query}`
      expect((await plane.call('GET', path, { as: admin })).message).toContain(field)
    }
  })

  test('an answer says that there are more keys than rows, and only then', async () => {
    const start = TODAY - 10 * DAY
    const more = async (end: number) => {
      const span = `start_timestamp=${start}&end_timestamp=${end}&step=hour&utc_offset=0`
      const path = `/api/stat/explore?${span}&metric=requests&by=model`
      const { data } = await plane.call('GET', path, { as: admin })
      const { rows, more: hasMore } = statEndpoints.exploreUsage.parts.data.parse(data)
      return [rows.length, hasMore]
    }
    for (let index = 0; index <= EXPLORED_ROWS_MAX; index += 1) {
      const at = index < EXPLORED_ROWS_MAX ? start : start + HOUR
      plane.clock.now = at * 1000
      const parts = { by: ann, tokenId: token, cost: 0, model: `model-${index}` }
      await spend(plane.ledger, { ...parts, at })
    }
    await plane.ledger.whenApplied()
    plane.clock.now = (TODAY + 4 * HOUR) * 1000
    expect(await more(start + HOUR)).toEqual([EXPLORED_ROWS_MAX, false])
    expect(await more(start + 2 * HOUR)).toEqual([EXPLORED_ROWS_MAX, true])
  })

  test('latency is the median', async () => {
    const data = await explore('metric=latency&by=model')
    // 400 ms and 1 ms; failed requests have no time. Half lie below the first bound of 100 ms.
    expect(data).toMatchObject({
      rows: [
        { key: 'gpt-4o', value: 100 },
        { key: 'o3', value: 50 },
      ],
    })
    // No request used o3 the day before.
    const compared = await explore(`metric=latency&by=model&compare_start_timestamp=${TODAY - DAY}`)
    expect(compared).toMatchObject({ rows: [{ key: 'gpt-4o' }, { key: 'o3', previous: null }] })
  })

  test('the margin is the charge minus the cost', async () => {
    // 5 units of 500 000 to the dollar are 10 000 nano-dollars.
    expect(await explore('metric=margin&by=model')).toMatchObject({ total: 10_000 - 4000 })
  })

  test('users explore their own usage alone, without users, channels and cost', async () => {
    const own = await explore('metric=quota&by=model', bob)
    expect(own).toMatchObject({ total: 7, rows: [row('gpt-4o', 7, 2)] })
    expect(await explore('metric=requests&by=token', bob)).toMatchObject({ total: 2 })
    expect(await explore('metric=requests&by=endpoint', bob)).toMatchObject({ total: 2 })
    expect(await explore(`metric=quota&by=model&user=${ann.id}`, bob)).toEqual(own)
    // Not even the name of another user's token.
    expect(await explore(`metric=quota&by=model&token=${token}`, bob)).toMatchObject({
      filters: [{ by: 'token', key: String(token), label: String(token) }],
      rows: [],
    })
    for (const query of ['metric=quota&by=user', 'metric=margin&by=model']) {
      const path = `/api/stat/self/explore?${SPAN}&${query}`
      expect(await plane.call('GET', path, { as: bob })).toMatchObject({ success: false })
    }
  })

  test('yesterday counts until this time of day, its hour of now by its share', async () => {
    const soFar = async (at: number, as: Person) => {
      plane.clock.now = at * 1000
      const path = as === admin ? '/api/stat/' : '/api/stat/self'
      const answer = await plane.call('GET', `${path}?${SPAN}&at=${at}`, { as })
      return statEndpoints.getOwnUsage.parts.data.parse(answer.data).yesterday_so_far
    }
    // Yesterday's only request is in its second hour and cost 10.
    expect(await soFar(TODAY + HOUR / 2, ann)).toEqual({ quota: 0, requests: 0 })
    expect(await soFar(TODAY + 1.5 * HOUR, admin)).toEqual({ quota: 5, requests: 1 })
    expect(await soFar(TODAY + 2 * HOUR, bob)).toEqual({ quota: 0, requests: 0 })
  })

  test('minutes of a day before its first whole hour compare with nothing', async () => {
    // 18:30 UTC begins a day in India, whose first counted hour begins at 19:00.
    const soFar = async (time: number, hours: number) => {
      plane.clock.now = time * 1000
      // Equal spans share an answer for some seconds.
      const span = `start_timestamp=${TODAY}&end_timestamp=${TODAY + hours * HOUR}&step=hour`
      const path = `/api/stat/self?${span}&utc_offset=330`
      const answer = await plane.call('GET', path, { as: ann })
      return statEndpoints.getOwnUsage.parts.data.parse(answer.data).yesterday_so_far
    }
    const midnight = TODAY + 18.5 * HOUR
    expect(await soFar(midnight - 60, 1)).not.toEqual({ quota: 0, requests: 0 })
    expect(await soFar(midnight, 2)).toEqual({ quota: 0, requests: 0 })
    expect(await soFar(midnight + HOUR / 2 - 60, 3)).toEqual({ quota: 0, requests: 0 })
  })
})
