import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { LOG_TYPE, ROLE } from '@tollgate/contract'
import { type Person, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { logRow } from '../../../testing/worlds/log-row.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

const T = 1_700_000_000

describePlanes('filters of the log on %s', ['admin'], ({ plane, admin }) => {
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    ann = await plane.addPerson(ROLE.user, 1000)
    bob = await plane.addPerson(ROLE.user, 1000)
    plane.clock.now = (T + 100) * 1000
    const { kysely } = plane.database
    await setRow(plane, 'users', ann.id, { username: 'Zhang_3' })
    const of = (person: Person, row: object, at: number) => ({
      ...logRow(`r${at}`, T + at),
      user_id: person.id,
      username: 'shared name',
      ...row,
    })
    const chat = { endpoint: 'chat', is_stream: 1 }
    const rows = [
      of(ann, { token_name: 'Web', ...chat, group: 'vip', quota: 10, elapsed_time: 90 }, 1),
      of(ann, { token_name: 'cron', model_name: 'gpt-5.1', quota: 30, elapsed_time: 10 }, 2),
      of(bob, { outcome: 'void', end_reason: 'no_channel', quota: 0, channel: 0 }, 3),
      of(bob, { outcome: 'void', end_reason: 'client_left', quota: 0, channel: 2 }, 4),
      of(bob, { end_reason: 'broken_stream', quota: 20, token_name: '100%', channel: 2 }, 5),
      of(ann, { type: LOG_TYPE.topup, outcome: '', quota: 500, model_name: '' }, 6),
    ].map((row) => ({ endpoint: '', group: '', ...row }))
    const stored = rows.map((row) => (row.outcome === '' ? { ...row, request_id: null } : row))
    await kysely.insertInto('logs').values(stored).execute()
  })

  const read = (path: string, as: Person) => plane.call('GET', path, { as })
  const foundBy = async (query: string, { as = admin, path = '/api/log/' } = {}) => {
    const answer = await read(`${path}?${query}`, as)
    expect(answer.success, answer.message).toBe(true)
    return rowsOf(answer).map((row) => Number(row['created_at']) - T)
  }

  test.each([
    ['request_id=r2', [2]],
    ['outcome=answered', [2, 1]],
    ['outcome=failed', [3]],
    ['outcome=cancelled', [4]],
    ['outcome=cut_off,failed', [5, 3]],
    ['error=broken_stream', [5]],
    ['endpoint=chat', [1]],
    ['group=vip', [1]],
    ['group=vi', []],
    ['stream=true', [1]],
    ['stream=false', [5, 4, 3, 2]],
    ['model_part=PT-5', [2]],
    ['model_part=gpt*1', [2]],
    ['token_part=we', [1]],
    ['token_part=w*B', [1]],
    ['token_part=b*w', []],
    ['token_part=c*n&min_quota=30', [2]],
    ['token_part=0%25', [5]],
    ['token_part=%25', [5]],
    ['user_part=hang_', [6, 2, 1]],
    ['user_part=hangx', []],
    ['min_quota=20', [5, 2]],
    ['min_quota=1&max_quota=10', [1]],
    ['max_quota=0', [4, 3]],
    ['min_duration=50', [1]],
    ['max_duration=5', [5, 4, 3]],
    ['username=shared name&min_quota=30', [2]],
    ['channel=2&outcome=cut_off', [5]],
    ['type=2&model_name=gpt-5.1&outcome=answered', [2]],
  ])('%s finds the rows %j', async (query, expected) => {
    expect(await foundBy(query)).toEqual(expected)
  })

  test('a user id tells people apart who have had the same name', async () => {
    expect(await foundBy(`user_id=${ann.id}`)).toEqual([6, 2, 1])
    const sum = await read(`/api/log/stat?user_id=${ann.id}&min_quota=1`, admin)
    expect(sum.data).toEqual({ quota: 40 })
    expect((await read('/api/log/stat?username=shared name', admin)).data).toEqual({ quota: 60 })
  })

  test('a part finds names that appear later, and counts and sums their rows', async () => {
    expect(await foundBy('token_part=later')).toEqual([])
    const row = { ...logRow('r7', T + 7), user_id: ann.id, token_name: 'LATER', quota: 7 }
    await plane.database.kysely.insertInto('logs').values(row).execute()
    expect(await foundBy('token_part=later')).toEqual([7])
    const { data } = await read('/api/log/facets?token_part=ate', admin)
    expect(data).toMatchObject({ counted: 1 })
    const sum = await read('/api/log/stat?token_part=ate', admin)
    expect(sum.data).toEqual({ quota: 7 })
    await plane.database.kysely.deleteFrom('logs').where('request_id', '=', 'r7').execute()
  })

  test('a part finds names of rows that were added among older ones a minute ago', async () => {
    const { kysely } = plane.database
    const add = (number: number, rest: object) => {
      const row = { ...logRow(`r${number}`, T + number), user_id: ann.id, ...rest }
      return kysely.insertInto('logs').values(row).execute()
    }
    await add(8, { id: 50_000 })
    expect(await foundBy('token_part=imported')).toEqual([])
    await add(9, { id: 20_000, token_name: 'imported' })
    const clock = vi.spyOn(performance, 'now')
    onTestFinished(async () => {
      clock.mockRestore()
      await kysely.deleteFrom('logs').where('request_id', 'in', ['r8', 'r9']).execute()
    })
    clock.mockReturnValue(performance.now() + 61_000)
    expect(await foundBy('token_part=imported')).toEqual([9])
  })

  test.each([
    ['quota', 'desc', [2, 5, 1, 4, 3]],
    ['quota', 'asc', [3, 4, 1, 5, 2]],
    ['elapsed_time', 'desc', [1, 2, 5, 4, 3]],
  ])('rows are sorted by %s %s', async (sort, order, expected) => {
    expect(await foundBy(`type=2&sort=${sort}&order=${order}`)).toEqual(expected)
  })

  test('a view that follows the log asks for rows after the last that it has', async () => {
    const [, second] = rowsOf(await read('/api/log/', admin))
    expect(await foundBy(`after=${String(second?.['id'])}`)).toEqual([6])
    expect(await foundBy(`after=${String(second?.['id'])}&type=2`)).toEqual([])
  })

  test('users find only their own rows, also by a request id of others', async () => {
    const own = { as: bob, path: '/api/log/self' }
    expect(await foundBy('', own)).toEqual([5, 4, 3])
    expect(await foundBy('request_id=r2', own)).toEqual([])
    expect(await foundBy(`user_id=${ann.id}&user_part=hang`, own)).toEqual([5, 4, 3])
    expect(await foundBy('outcome=failed,cancelled', own)).toEqual([4, 3])
  })

  test('facets count the rows of the filter by their values', async () => {
    const facets = async (query: string, as = admin) => {
      const path = as === admin ? '/api/log/facets' : '/api/log/self/facets'
      const { data } = await read(`${path}?${query}`, as)
      return data
    }
    const value = (text: string, count: number, label = text) => ({ value: text, label, count })
    const once = (...texts: string[]) => texts.map((text) => value(text, 1))
    expect(await facets('type=2')).toEqual({
      counted: 5,
      more: false,
      facets: [
        {
          name: 'outcome',
          values: [value('answered', 2), ...once('cut_off', 'failed', 'cancelled')],
        },
        { name: 'error', values: once('broken_stream', 'client_left', 'no_channel') },
        { name: 'model', values: [value('gpt-4o', 4), value('gpt-5.1', 1)] },
        { name: 'token', values: once('100%', 'Web', 'cron') },
        { name: 'endpoint', values: [value('chat', 1)] },
        { name: 'stream', values: [value('false', 4), value('true', 1)] },
        {
          name: 'user',
          values: [value(String(bob.id), 3, bob.username), value(String(ann.id), 2, 'Zhang_3')],
        },
        { name: 'channel', values: [value('1', 2), value('2', 2)] },
        { name: 'group', values: [value('vip', 1)] },
      ],
    })
    const own = await facets('', bob)
    expect(own).toMatchObject({ counted: 3 })
    expect(JSON.stringify(own)).not.toMatch(/"user"|"channel"|"group"|Zhang|gpt-5/)
    expect(await facets('outcome=failed')).toMatchObject({ counted: 1 })
  })

  test.each([
    ['outcome=charged', 'outcome'],
    ['stream=1', 'stream'],
    ['min_quota=-1', 'min_quota'],
    ['min_quota=1.5', 'min_quota'],
    ['max_duration=1e3', 'max_duration'],
    ['user_id=x', 'user_id'],
  ])('%s is refused by the name of the field', async (query, field) => {
    const answer = await read(`/api/log/?${query}`, admin)
    expect(answer.success).toBe(false)
    expect(answer.message).toContain(`"${field}"`)
  })
})
