import { beforeAll, expect, test } from 'vitest'
import { LOG_TYPE, ROLE, TOTAL_COUNT_MAX } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import { idsOf, type Person, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { EMPTY_LOG_ROW } from '../../../testing/worlds/log-row.ts'
import { notesOf } from '../../../testing/worlds/rows.ts'
import type { NewLogRow } from '../../store/schema.ts'

const ATTEMPTS = [
  { channel: 7, status: 500, reason: 'upstream 7 is down', milliseconds: 5 },
  { channel: 8, status: 200, reason: '', milliseconds: 50 },
]

const HOUR = 3600
/** Eleven seconds before a full hour. */
const T = 1_700_002_800 - 11

describePlanes('logs on %s', ['admin'], ({ plane, admin }) => {
  let alice: Person
  let bob: Person

  const charge = (person: Person, row: Partial<NewLogRow>): NewLogRow => ({
    ...EMPTY_LOG_ROW,
    user_id: person.id,
    username: person.username,
    outcome: 'settled',
    attempts: JSON.stringify(ATTEMPTS),
    upstream_model: 'upstream-name',
    channel: 8,
    is_stream: 1,
    ...row,
  })

  beforeAll(async () => {
    alice = await plane.addPerson(ROLE.user, 1000)
    bob = await plane.addPerson(ROLE.user, 1000)
    await use(alice, { at: T, quota: 1, model: 'gpt-4o', token: 'work' })
    await use(alice, { at: T + 10, quota: 2, model: 'gpt-4', token: 'home' })
    await use(bob, { at: T + 20, quota: 4, model: 'gpt-4o', token: 'work' })
    await use(bob, { at: T + HOUR, quota: 8, model: 'o3', token: 'work', channel: 9 })
    plane.clock.now = (T + 2 * HOUR) * 1000
    const note = {
      ...EMPTY_LOG_ROW,
      user_id: alice.id,
      username: alice.username,
      type: LOG_TYPE.manage,
    }
    await plane.database.kysely.insertInto('logs').values(note).execute()
  })

  type Spending = { at: number; quota: number; model: string; token: string; channel?: number }

  /** Runs a request through the ledger at a given time. */
  async function use(by: Person, { at, quota, model, token, channel = 8 }: Spending) {
    plane.clock.now = at * 1000
    const as = { ...by, session: await plane.signIn(by.id) }
    const tokenId = await plane.addToken(as, { name: token, unlimited_quota: true })
    const request = { requestId: `request ${at}`, tokenName: token, isStream: true }
    const served = { channel, upstreamModel: 'upstream-name', attempts: ATTEMPTS }
    await spend(plane.ledger, { by, tokenId, at, cost: quota, model, request, ...served })
  }

  const list = async (path: string, as = admin) => {
    const answer = await plane.call('GET', path, { as })
    expect(answer.success, answer.message).toBe(true)
    return rowsOf(answer)
  }
  const quotas = async (query: string, as = admin, path = '/api/log/') =>
    (await list(`${path}?${query}`, as)).map(({ quota }) => quota)

  const sum = async (query: string, as = admin, path = '/api/log/stat') =>
    (await plane.call('GET', `${path}?${query}`, { as })).data

  test('an administrator sees every row with all details, newest first', async () => {
    expect(await quotas('')).toEqual([0, 8, 4, 2, 1])
    const rows = await list(`/api/log/?username=${alice.username}&type=2`)
    expect(rows).toMatchObject([
      { quota: 2 },
      {
        quota: 1,
        channel: 8,
        upstream_model: 'upstream-name',
        is_stream: true,
        outcome: 'settled',
        request_id: `request ${T}`,
      },
    ])
  })

  test('filters match exactly; invalid values and 0 do not filter', async () => {
    expect(await quotas('model_name=gpt-4')).toEqual([2])
    expect(await quotas('token_name=work&model_name=gpt-4o')).toEqual([4, 1])
    expect(await quotas('channel=9')).toEqual([8])
    expect(await quotas('type=3')).toEqual([0])
    expect(await quotas('username=nobody')).toEqual([])
    expect(await quotas('model_name=gpt%25')).toEqual([])
    expect(await quotas('type=0&channel=0&start_timestamp=0&end_timestamp=x')).toHaveLength(5)
    expect(await quotas(`start_timestamp=${T + 10}.9&end_timestamp=${T + 20}.5`)).toEqual([4, 2])
  })

  test('a user sees their own rows only, without fields for operators', async () => {
    const stored = (await notesOf(plane, alice.id)).toReversed().map(({ id }) => id)
    for (const query of ['', `username=${bob.username}`, `user_id=${bob.id}`]) {
      const rows = await list(`/api/log/self/?${query}`, alice)
      expect(rows.map(({ id }) => id)).toEqual(stored)
      expect(rows.map(({ quota }) => quota)).toEqual([0, 2, 1])
      expect(rows[2]).toMatchObject({ channel: 0, upstream_model: '' })
      for (const row of rows) expect(row).not.toHaveProperty('attempts')
      expect(JSON.stringify(rows)).not.toMatch(/upstream-name|upstream 7/)
    }
    expect(await quotas('channel=9', bob, '/api/log/self')).toEqual([8, 4])
  })

  const exported = async (path: string, as: Person) => {
    const { status, headers, text } = await plane.call('GET', path, { as })
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    return text.split('\n').flatMap((line): unknown => (line === '' ? [] : [JSON.parse(line)]))
  }

  test("an export has the rows of the list, and a user's own rows only", async () => {
    const sorted = 'sort=quota&order=asc'
    for (const query of ['', sorted, 'model_name=gpt-4o', `username=${bob.username}`]) {
      const rows = await exported(`/api/log/export?${query}`, admin)
      expect(rows).toEqual(await list(`/api/log/?${query}&size=100`))
      expect(rows).not.toHaveLength(0)
      const own = await exported(`/api/log/self/export?${query}`, alice)
      expect(own).toEqual(await list(`/api/log/self?${query}&size=100`, alice))
      expect(JSON.stringify(own)).not.toMatch(/upstream-name|provider_cost/)
    }
    expect(await exported('/api/log/export?username=nobody', admin)).toEqual([])
  })

  test('sums include charges only, whatever type is requested', async () => {
    expect(await sum('')).toEqual({ quota: 15 })
    expect(await sum('type=3')).toEqual({ quota: 15 })
    expect(await sum(`username=${alice.username}`)).toEqual({ quota: 3 })
    expect(await sum('channel=9')).toEqual({ quota: 8 })
    expect(await sum('model_name=gpt-4o&token_name=work')).toEqual({ quota: 5 })
    const spans: [number, number, number][] = [
      [T + 10, T + 20, 6],
      [T, T, 1],
      [T + 1, T + 10, 2],
      [T + 11, T + HOUR, 12],
      [T, T + HOUR - 1, 7],
      [T - HOUR, T + 3 * HOUR, 15],
      [T + 21, T + HOUR, 8],
      [T + HOUR + 1, T + 9 * HOUR, 0],
      [T + 20, T + 10, 0],
    ]
    for (const [start, end, quota] of spans) {
      const range = `start_timestamp=${start}&end_timestamp=${end}`
      expect(await sum(range), range).toEqual({ quota })
      const eight = { quota: quota >= 8 ? 8 : 0 }
      for (const wanted of ['model_name=o3', 'channel=9', 'channel=9&model_name=o3']) {
        expect(await sum(`${range}&${wanted}`), `${range}&${wanted}`).toEqual(eight)
      }
      expect(await sum(`${range}&channel=9&model_name=gpt-4o`)).toEqual({ quota: 0 })
      expect(await sum(`${range}&model_name=o3`, bob, '/api/log/self/stat')).toEqual(eight)
      const listed = await quotas(range)
      expect(
        listed.reduce<number>((total, charged = 0) => total + charged, 0),
        range,
      ).toBe(quota)
    }
    expect(await sum(`start_timestamp=${T + 1}`)).toEqual({ quota: 14 })
    expect(await sum(`end_timestamp=${T + 20}`)).toEqual({ quota: 7 })
    expect(await sum('model_name=gpt-4o')).toEqual({ quota: 5 })
    expect(await sum('username=nobody')).toEqual({ quota: 0 })
    expect(await sum(`username=${bob.username}&type=1`, alice, '/api/log/self/stat')).toEqual({
      quota: 3,
    })
    expect(await sum('model_name=gpt-4', alice, '/api/log/self/stat/')).toEqual({ quota: 2 })
  })

  test('beyond 10000 rows the count is a minimum, and pages continue by id', async () => {
    const person = await plane.addPerson()
    const many = Array.from({ length: 500 }, (_, index) =>
      charge(person, { created_at: T, quota: index }),
    )
    for (let count = 0; count < 20; count++) {
      await plane.database.kysely.insertInto('logs').values(many).execute()
    }
    const exact = await plane.call('GET', '/api/log/self', { as: person })
    expect(exact.headers['x-total-count']).toBe(String(TOTAL_COUNT_MAX))
    await plane.database.kysely.insertInto('logs').values(charge(person, {})).execute()
    // Each filter has its own count; the unfiltered count may be a second old.
    const answer = await plane.call('GET', '/api/log/self?size=100&type=2', { as: person })
    expect(answer.headers['x-total-count']).toBe('10000+')
    const rows = idsOf(answer)
    expect(rows).toHaveLength(100)
    const last = rows.at(-1) ?? 0
    const next = await list(`/api/log/self?size=100&before=${last}`, person)
    expect(next[0]?.id).toBe(last - 1)
  })
})
