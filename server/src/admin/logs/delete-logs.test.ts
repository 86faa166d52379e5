import { beforeAll, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { EMPTY_LOG_ROW } from '../../../testing/worlds/log-row.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'
import { logsKeptSince } from '../../store/delete-logs.ts'

const COST = 38
const T = 1_700_000_000

describePlanes('deleting log rows on %s', ['admin'], ({ plane, admin }) => {
  let user: Person

  beforeAll(async () => {
    user = await plane.addPerson(ROLE.user, 100_000)
  })

  function spendAt(tokenId: number, at: number) {
    plane.clock.now = at * 1000
    return spend(plane.ledger, { by: user, tokenId, cost: COST, at })
  }

  const books = async () => {
    const hours = ['rollups', 'model_hours', 'channel_hours', 'user_hours'] as const
    const tables = ['users', 'tokens', 'credits', 'ledger_days', ...hours] as const
    return Promise.all(tables.map((table) => storedRows(plane, table)))
  }

  const logs = () => storedRows(plane, 'logs')

  const remove = async (query: string, language = 'en') => {
    const headers = { 'accept-language': language }
    const as = await plane.signIn(admin.id)
    return plane.call('DELETE', `/api/log/${query}`, { as, headers })
  }

  /** Sums must match the rows listed with the same filter. */
  async function expectSumsOf(rows: number) {
    const as = await plane.signIn(admin.id)
    for (const filter of [
      '',
      `username=${user.username}`,
      `start_timestamp=${T}`,
      `end_timestamp=${T + 40}`,
      'model_name=gpt-4o',
    ]) {
      const sum = await plane.call('GET', `/api/log/stat?${filter}`, { as })
      expect([filter, sum.data]).toEqual([filter, { quota: rows * COST }])
    }
  }

  test('rows before the time are deleted, the rollups stay and add up, and a log row records it', async () => {
    const token = await plane.addToken(user)
    for (const at of [T, T + 10, T + 20, T + 30]) await spendAt(token, at)
    plane.clock.now = (T + 86_400) * 1000
    expect(await audit(plane.database)).toEqual([])
    const before = await books()
    const answer = await remove(`?target_timestamp=${T + 20}.9`)
    expect(answer).toMatchObject({ success: true, data: 2 })
    const left = await logs()
    expect(left).toMatchObject([
      { created_at: T + 20 },
      { created_at: T + 30 },
      {
        created_at: T + 86_400,
        type: 3,
        user_id: admin.id,
        content: 'An administrator deleted 2 log rows from before 2023-11-14T22:13:40.000Z',
      },
    ])
    expect(await books()).toEqual(before)
    expect(await audit(plane.database)).toEqual([])
    await expectSumsOf(2)

    const everything = await remove(`?target_timestamp=${T + 86_400}`, 'zh')
    expect(everything.data).toBe(2)
    await expectSumsOf(0)
    expect(await logs()).toMatchObject([
      { content: left[2]?.content },
      {
        content: 'An administrator deleted 2 log rows from before 2023-11-15T22:13:20.000Z',
        content_zh: '管理员清理了 2023-11-15T22:13:20.000Z 之前的 2 条日志',
      },
    ])
    expect(await books()).toEqual(before)
    expect(await audit(plane.database)).toEqual([])
  })

  test('many rows are deleted in slices, while requests are booked', async () => {
    const token = await plane.addToken({ ...user, session: await plane.signIn(user.id) })
    const old = Array.from({ length: 400 }, () => ({ ...EMPTY_LOG_ROW, created_at: 5 }))
    for (let count = 0; count < 6; count++) {
      await plane.database.kysely.insertInto('logs').values(old).execute()
    }
    const at = Math.floor(plane.clock.now / 1000)
    const deleting = remove('?target_timestamp=6')
    for (let count = 0; count < 5; count++) await spendAt(token, at)
    expect((await deleting).data).toBe(2400)
    expect(await audit(plane.database)).toEqual([])
    expect((await logs()).filter(({ created_at }) => created_at < 6)).toEqual([])
  })

  test.each([
    ['0', '?target_timestamp=0'],
    ['a moment below 0', '?target_timestamp=-5'],
    ['two moments', '?target_timestamp=1&target_timestamp=2'],
    ['a moment that does not end', '?target_timestamp=1e999'],
    ['milliseconds', `?target_timestamp=${T * 1000}`],
  ])('%s deletes nothing and the field is named', async (_, query) => {
    const before = await logs()
    const answer = await remove(query)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toContain('target_timestamp')
    expect(await logs()).toEqual(before)
  })

  test('a time in the future, by a clock that is ahead, counts as now', async () => {
    plane.clock.now += 60_000
    const count = (await logs()).length
    const now = Math.floor(plane.clock.now / 1000)
    const answer = await remove(`?target_timestamp=${now + 3600}`)
    expect(answer).toMatchObject({ success: true, data: count })
    expect(await logs()).toMatchObject([{ created_at: now }])
    expect(await logsKeptSince(plane.database.kysely)).toBe(now)
  })
})
