import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { QUOTA_MAX, redemptionSchema, ROLE } from '@tollgate/contract'
import { type Answer, idsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'

const URL = '/api/redemption/'
const USED = 'A code that has been used cannot be changed.'

const codesOf = (answer: Answer) => z.array(redemptionSchema).parse(answer.data)
const namesOf = (answer: Answer) => codesOf(answer).map(({ name }) => name)
const keysOf = (answer: Answer) => z.array(z.string()).parse(answer.data)

describePlanes('redemption codes on %s', ['admin'], ({ plane, admin }) => {
  afterAll(async () => {
    expect(await audit(plane.database)).toEqual([])
  })

  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    plane.call(method, path, { as: admin, body })

  const make = async (name: string, quota = 1000) => {
    const [key = ''] = keysOf(await ask('POST', URL, { name, quota, count: 1 }))
    const [code] = codesOf(await ask('GET', `${URL}search?keyword=${key}`))
    if (!code) throw new Error('a code that was made is not found')
    return code
  }

  const rows = () => storedRows(plane, 'redemptions')

  const notes = async () => {
    const { id: user_id, username } = admin
    const own = await storedRows(plane, 'logs', { user_id, username, type: 3 })
    return own.map(({ content }) => content)
  }

  const redeem = async (key: string) => {
    const person = await plane.addPerson()
    const answer = await plane.call('POST', '/api/user/topup', { as: person, body: { key } })
    expect(answer.success).toBe(true)
    return person
  }

  test('the requested number of codes, of 32 hexadecimal digits, is created, listed and logged', async () => {
    const answer = await ask('POST', URL, { name: '  spring  ', quota: 500_000, count: 100 })
    const keys = keysOf(answer)
    expect(keys).toHaveLength(100)
    expect(new Set(keys).size).toBe(100)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/)
    const list = await ask('GET', `${URL}?size=100`)
    expect(list.headers['x-total-count']).toBe(String((await rows()).length))
    expect(codesOf(list).at(-1)).toMatchObject({
      user_id: admin.id,
      key: keys[0],
      status: 1,
      name: 'spring',
      quota: 500_000,
      created_time: Math.floor(plane.clock.now / 1000),
      redeemed_time: 0,
      redeemed_by: 0,
      redeemed_by_name: '',
      expired_time: 0,
      count: 0,
    })
    expect((await notes()).at(-1)).toBe('Created 100 redemption codes "spring", each of $1.000000')
  })

  test('a name has up to twenty characters, whatever their bytes; the default count is one', async () => {
    const name = `${'春'.repeat(19)}🌸`
    expect(keysOf(await ask('POST', URL, { name, quota: QUOTA_MAX }))).toHaveLength(1)
    expect(namesOf(await ask('GET', `${URL}?size=1`))).toEqual([name])
    expect((await notes()).at(-1)).toMatch(/^Created the redemption code ".{20}" of \$/u)
  })

  const WRONG: [field: string, body: object][] = [
    ['name', { name: '   ', quota: 1 }],
    ['name', { name: '春'.repeat(21), quota: 1 }],
    ['quota', { name: 'x', quota: 0 }],
    ['quota', { name: 'x', quota: -1 }],
    ['quota', { name: 'x', quota: QUOTA_MAX + 1 }],
    ['count', { name: 'x', quota: 1, count: 0 }],
    ['count', { name: 'x', quota: 1, count: -1 }],
    ['count', { name: 'x', quota: 1, count: 101 }],
  ]

  test.each(WRONG)('a wrong %s is named, and creates nothing: %j', async (field, body) => {
    const before = [await rows(), await notes()]
    const answer = await ask('POST', URL, body)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toContain(`"${field}"`)
    expect([await rows(), await notes()]).toEqual(before)
  })

  test('a creation that fails midway creates no code', async () => {
    const before = await rows()
    const { kysely } = plane.database
    await kysely.schema.alterTable('logs').renameTo('logs_away').execute()
    const answer = await ask('POST', URL, { name: 'half', quota: 5, count: 3 })
    await kysely.schema.alterTable('logs_away').renameTo('logs').execute()
    expect([answer.status, answer.success]).toEqual([500, false])
    expect(await rows()).toEqual(before)
  })

  test('name and quota are edited, and each change of the quota is logged', async () => {
    const code = await make('old', 1000)
    const answer = await ask('PUT', URL, { id: code.id, name: 'new', quota: 2000, status: 2 })
    const edited = { ...code, name: 'new', quota: 2000 }
    expect(answer.data).toEqual(edited)
    expect((await ask('GET', `${URL}${code.id}`)).data).toEqual(edited)
    const said = `Changed redemption code #${code.id} from $0.002000 to $0.004000`
    expect((await notes()).at(-1)).toBe(said)
    const count = (await notes()).length
    await ask('PUT', URL, { id: code.id, name: 'newer', quota: 2000 })
    expect(await notes()).toHaveLength(count)
  })

  test('a code expires: it adds nothing from that second on, until its time is changed', async () => {
    const now = Math.floor(plane.clock.now / 1000)
    const body = { name: 'brief', quota: 1000, expired_time: now + 60 }
    const [key = ''] = keysOf(await ask('POST', URL, body))
    const [code] = codesOf(await ask('GET', `${URL}search?keyword=${key}`))
    expect(code).toMatchObject({ expired_time: now + 60 })
    const spend = async () => {
      const person = await plane.addPerson(ROLE.user, 50)
      const answer = await plane.call('POST', '/api/user/topup', { as: person, body: { key } })
      const user = await readUser(plane, person.id)
      return [answer.success, user.quota]
    }
    const expire = (at: number) => setRow(plane, 'redemptions', code?.id ?? 0, { expired_time: at })
    await expire(now)
    expect(await spend()).toEqual([false, 50])
    const edit = (expired_time?: number) =>
      ask('PUT', URL, { id: code?.id, name: 'brief', quota: 1000, expired_time })
    expect((await edit()).data).toMatchObject({ expired_time: now })
    expect((await edit(now - 1)).message).toContain('"expired_time"')
    expect((await edit(now + 60)).data).toMatchObject({ expired_time: now + 60 })
    expect(await spend()).toEqual([true, 1050])
    const { success, message } = await ask('POST', URL, { ...body, expired_time: now })
    expect([success, message]).toEqual([false, expect.stringContaining('"expired_time"')])
  })

  test('a code is disabled and enabled, without other changes', async () => {
    const code = await make('switch', 500_000)
    const toggle = (status: unknown) =>
      ask('PUT', `${URL}?status_only=true`, { id: code.id, status, name: 'x', quota: 5 })
    expect((await toggle(2)).data).toEqual({ ...code, status: 2 })
    expect((await notes()).at(-1)).toBe(`Disabled redemption code #${code.id} of $1.000000`)
    const count = (await notes()).length
    expect((await toggle(2)).success).toBe(true)
    expect(await notes()).toHaveLength(count)
    expect((await toggle(1)).data).toEqual(code)
    const message = 'The field "status" must be 1 (enabled) or 2 (disabled).'
    for (const status of [0, 3, undefined]) {
      expect(await toggle(status)).toMatchObject({ success: false, message })
    }
    expect((await ask('GET', `${URL}${code.id}`)).data).toEqual(code)
  })

  test('a used code shows its user; it cannot be edited, but may be deleted', async () => {
    const code = await make('used', 500_000)
    const person = await redeem(code.key)
    const used = {
      ...code,
      status: 3,
      redeemed_time: Math.floor(plane.clock.now / 1000),
      redeemed_by: person.id,
      redeemed_by_name: person.username,
    }
    const own = `${URL}${code.id}`
    expect((await ask('GET', own)).data).toEqual(used)
    for (const answer of [
      await ask('PUT', URL, { id: code.id, name: 'again', quota: 1 }),
      await ask('PUT', `${URL}?status_only=true`, { id: code.id, status: 1 }),
      await ask('PUT', `${URL}?status_only=true`, { id: code.id, status: 2 }),
    ]) {
      expect(answer).toMatchObject({ success: false, message: USED })
    }
    expect((await ask('GET', own)).data).toEqual(used)
    await ask('DELETE', `/api/user/${person.id}`)
    expect((await ask('GET', own)).data).toEqual({ ...used, redeemed_by_name: '' })
    expect((await ask('DELETE', `${own}/`)).success).toBe(true)
    expect((await notes()).at(-1)).toBe(`Deleted redemption code #${code.id} of $1.000000`)
    expect((await ask('GET', own)).message).toBe('There is no such redemption code.')
  })

  test('an edit during a redemption is refused', async () => {
    const code = await make('overtaken', 500)
    const body = { id: code.id, name: 'dearer', quota: 5000 }
    let changing: Promise<Answer> | undefined
    const person = await plane.addPerson()
    await plane.database.transaction(async (tx) => {
      const row = { status: 3, redeemed_by: person.id, redeemed_time: 1 }
      await tx.updateTable('redemptions').set(row).where('id', '=', code.id).execute()
      const part = { reason: '', source: `redemption:${code.id}`, actorId: person.id }
      const credit = { kind: 'user', ownerId: person.id, amount: code.quota } as const
      await plane.ledger.credit(tx, { ...part, ...credit })
      changing = ask('PUT', URL, body)
      // Gives the change time to wait for the redemption's lock.
      for (let times = 0; times < 20; times++) await ask('GET', `${URL}?size=1`)
    })
    expect((await changing)?.message).toBe(USED)
    expect((await ask('GET', `${URL}${code.id}`)).data).toMatchObject({ quota: 500, status: 3 })
  })

  test("an unknown code is reported in the reader's language, and leaves no note", async () => {
    const count = (await notes()).length
    const headers = { 'accept-language': 'zh' }
    const edit = { id: 999_999, name: 'x', quota: 1 }
    for (const path of [URL, `${URL}?status_only=1`]) {
      const body = { ...edit, status: 1 }
      const { message } = await plane.call('PUT', path, { as: admin, headers, body })
      expect(message).toBe('兑换码不存在。')
    }
    expect(await notes()).toHaveLength(count)
  })

  test('a search finds by id, by a part of a name and by the complete code', async () => {
    const code = await make('100%_\\ sure')
    const search = async (keyword: string) =>
      idsOf(await ask('GET', `${URL}search?keyword=${encodeURIComponent(keyword)}`))
    expect(await search(String(code.id))).toContain(code.id)
    expect(await search(code.key)).toEqual([code.id])
    expect(await search(code.key.slice(0, 31))).toEqual([])
    for (const keyword of ['100%_\\', '0%_\\ SU', '%', '_']) {
      expect(await search(keyword), keyword).toEqual([code.id])
    }
    for (const keyword of ['%%', '1_0', "' or 1=1 --"]) {
      expect(await search(keyword), keyword).toEqual([])
    }
    expect((await search('')).length).toBe(100)
  })

  test('the list is sorted by any of its columns and paged', async () => {
    const [low, high] = [await make('!first', 1), await make('龍last', QUOTA_MAX)]
    expect(namesOf(await ask('GET', `${URL}?sort=name&order=asc&size=1`))).toEqual(['!first'])
    expect(namesOf(await ask('GET', `${URL}?order=name&size=1`))).toEqual(['龍last'])
    const poorest = codesOf(await ask('GET', `${URL}?sort=quota&order=asc&size=1`))
    expect(poorest).toEqual([low])
    const before = codesOf(await ask('GET', `${URL}?before=${high.id}&size=1`))
    expect(before).toEqual([low])
    expect(codesOf(await ask('GET', `${URL}?size=1&p=1`))).toEqual([low])
  })
})
