import { beforeAll, expect, test } from 'vitest'
import { LOG_TYPE } from '@tollgate/contract'
import { type Person, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { EMPTY_LOG_ROW } from '../../../testing/worlds/log-row.ts'
import type { NewLogRow } from '../../store/schema.ts'

const ROW = { ...EMPTY_LOG_ROW, created_at: 1, upstream_model: 'hidden', channel: 7 }

describePlanes('searching the log on %s', ['admin'], ({ plane, admin }) => {
  let alice: Person
  let bob: Person

  const write = (...rows: Partial<NewLogRow>[]) =>
    plane.database.kysely
      .insertInto('logs')
      .values(rows.map((row) => ({ ...ROW, ...row })))
      .execute()

  const search = async (keyword: string, as = admin, path = '/api/log/search') => {
    const url = `${path}?keyword=${encodeURIComponent(keyword)}`
    const answer = await plane.call('GET', url, { as })
    expect(answer.success, answer.message).toBe(true)
    return rowsOf(answer)
  }
  const quotas = async (keyword: string, as = admin, path = '/api/log/search') =>
    (await search(keyword, as, path)).map(({ quota }) => quota)
  const own = (keyword: string, as: Person) => quotas(keyword, as, '/api/log/self/search/')

  beforeAll(async () => {
    alice = await plane.addPerson()
    bob = await plane.addPerson()
    const of = (person: Person) => ({ user_id: person.id, username: person.username })
    await write({ ...of(bob), content: 'Number 1', quota: 0, outcome: 'settled' })
    await write(
      { ...of(alice), type: LOG_TYPE.topup, content: '充值 100%', quota: 1 },
      { ...of(alice), type: LOG_TYPE.manage, content: '充值 100 units', quota: 2 },
      { ...of(bob), type: LOG_TYPE.topup, content: 'a_b', quota: 3 },
      { ...of(bob), type: LOG_TYPE.consume, content: 'No channel', quota: 4, outcome: 'void' },
      { ...of(alice), type: LOG_TYPE.consume, content: 'No channel', quota: 5, outcome: 'void' },
      { ...of(alice), type: LOG_TYPE.system, content: '3 things', quota: 6 },
    )
  })

  test('a number finds rows of that type and rows whose content begins with it, newest first', async () => {
    expect(await quotas('1')).toEqual([3, 1])
    expect(await quotas('2')).toEqual([5, 4, 0])
    expect(await quotas('3')).toEqual([6, 2])
    expect(await quotas('5')).toEqual([])
    expect(await quotas('-1')).toEqual([])
    expect(await quotas('1e0')).toEqual([])
    expect(await quotas('9'.repeat(200))).toEqual([])
  })

  test('a text finds rows whose content begins with it, with wildcards taken literally', async () => {
    expect(await quotas('充值')).toEqual([2, 1])
    expect(await quotas('充值 100%')).toEqual([1])
    expect(await quotas('No')).toEqual([5, 4])
    expect(await quotas('no')).toEqual([])
    for (const keyword of ['%', '_', 'a%', '\\', "' or 1=1 --"]) {
      expect(await quotas(keyword), keyword).toEqual([])
    }
    expect(await quotas('a_')).toEqual([3])
  })

  test('an empty keyword finds everything', async () => {
    expect(await quotas(' ')).toEqual([6, 5, 4, 3, 2, 1, 0])
  })

  test('a user searches their own rows only, without fields for operators', async () => {
    expect(await own('', alice)).toEqual([6, 5, 2, 1])
    expect(await own('1', alice)).toEqual([1])
    expect(await own('2', bob)).toEqual([4, 0])
    expect(await own('充值', alice)).toEqual([2, 1])
    expect(await own('充值', bob)).toEqual([])
    expect(await own('No', alice)).toEqual([5])
    const rows = await search('', alice, '/api/log/self/search')
    for (const row of rows) expect(row).toMatchObject({ channel: 0, upstream_model: '' })
    expect(rows.map(({ id }) => Number(id)).every((id) => id > 0)).toBe(true)
    expect((await plane.call('GET', '/api/log/search', { as: alice })).success).toBe(false)
  })

  test('at most the newest 100 rows are answered', async () => {
    const person = await plane.addPerson()
    const row = { user_id: person.id, content: 'many', type: LOG_TYPE.system }
    await write(...Array.from({ length: 150 }, (_, quota) => ({ ...row, quota })))
    for (const keyword of ['many', '4', '']) {
      const newest = Array.from({ length: 100 }, (_, index) => 149 - index)
      expect(await own(keyword, person)).toEqual(newest)
    }
  })
})

describePlanes('the log of a span of time on %s', ['admin'], ({ plane, admin }) => {
  beforeAll(async () => {
    const times = [50, 10, 30, 20, 40, 30]
    const rows = times.map((created_at, quota) => ({ ...ROW, created_at, quota, token_name: 't' }))
    await plane.database.kysely.insertInto('logs').values(rows).execute()
  })

  test('is found whatever the order of its rows', async () => {
    const found = async (query: string) => {
      const answer = await plane.call('GET', `/api/log/?${query}`, { as: admin })
      expect(answer.headers['x-total-count']).toBe(String(rowsOf(answer).length))
      return rowsOf(answer).map(({ quota }) => quota)
    }
    for (const filter of ['', 'token_name=t&']) {
      expect(await found(`${filter}start_timestamp=20&end_timestamp=30`)).toEqual([5, 3, 2])
      expect(await found(`${filter}start_timestamp=40`)).toEqual([4, 0])
      expect(await found(`${filter}end_timestamp=20`)).toEqual([3, 1])
      expect(await found(`${filter}end_timestamp=20&order=asc`)).toEqual([1, 3])
      expect(await found(`${filter}start_timestamp=51`)).toEqual([])
      expect(await found(`${filter}end_timestamp=9`)).toEqual([])
      expect(await found(`${filter}start_timestamp=41&end_timestamp=49`)).toEqual([])
      expect(await found(`${filter}end_timestamp=99999999999`)).toHaveLength(6)
    }
  })
})
