import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ROLE } from '@tollgate/contract'
import { accessTokenOf, type Person, tokenForm } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { readToken, readUser, setRow } from '../../../testing/worlds/rows.ts'

const DAY = 86_400

/** A full hour in the middle of a day. */
const NOON = Math.floor(1_700_000_000 / DAY) * DAY + DAY / 2

const OF_THE_ACCOUNT = ['username', 'display_name', 'password']
const OF_ADMINISTRATORS = [...OF_THE_ACCOUNT, 'github_id', 'wechat_id', 'group', 'quota']
const OF_A_TOKEN = [...Object.keys(tokenForm), 'budget_quota', 'budget_period']

/** Fields that no row has, or that a request names otherwise. */
const HIDDEN = { access_token: 'x', key: 'x', verification_code: [1] }

/** A value for every column of a row that its form lacks: a number, or a text. */
const stuffing = (row: object, fields: readonly string[], value: unknown) => {
  const columns = Object.keys(row).filter((column) => !fields.includes(column))
  return { ...HIDDEN, ...Object.fromEntries(columns.map((column) => [column, value])) }
}

describePlanes('the own account on %s', ['root'], ({ plane, root }) => {
  let user: Person

  beforeAll(async () => {
    user = await plane.addPerson(ROLE.user, 1000)
  })

  const rowOf = (id: number) => readUser(plane, id)

  const get = (path: string, as: Person) => plane.call('GET', `/api/user/${path}`, { as })

  const byToken = (token: string) =>
    plane.call('GET', '/api/user/self', { headers: { authorization: `Bearer ${token}` } })

  test('every field that older front ends read is returned, and no secret', async () => {
    const fields = [
      'id username display_name role status email github_id wechat_id lark_id oidc_id',
      'quota used_quota request_count group aff_code inviter_id',
    ].flatMap((names) => names.split(' '))
    const list = await plane.call('GET', `/api/user/search?keyword=${user.id}`, { as: root })
    const self = await get('self', user)
    const rows = [self.data, ...z.array(z.unknown()).parse(list.data)]
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) {
      expect(Object.keys(z.looseObject({}).parse(row))).toEqual(expect.arrayContaining(fields))
      expect(JSON.stringify(row)).not.toMatch(/password|access_token|hash/)
    }
  })

  test('a new access token ends the old one, is stored as a hash only and shown once', async () => {
    const person = await plane.addPerson(ROLE.user, 1000)
    const old = accessTokenOf(person)
    expect((await byToken(old)).success).toBe(true)
    const before = await rowOf(person.id)
    const token = z.string().parse((await get('token', person)).data)
    expect(token).toMatch(/^[0-9A-Za-z]{32,}$/)
    expect((await byToken(old)).success).toBe(false)
    expect((await byToken(token)).data).toMatchObject({ id: person.id, quota: 1000 })
    const after = await rowOf(person.id)
    expect(JSON.stringify(after)).not.toContain(token)
    const access_token_hash = plane.secrets.hashAccessToken(token)
    expect(after).toEqual({ ...before, access_token_hash })
    const again = await get('token/', person)
    expect(again.data).not.toBe(token)
    expect((await byToken(token)).success).toBe(false)
    expect((await get('self', person)).text).not.toContain(String(again.data))
    expect(plane.logLines.join('\n')).not.toContain(token)
  })

  test("the invite code is the user's own and stays", async () => {
    const { aff_code } = await rowOf(user.id)
    expect((await get('aff', user)).data).toBe(aff_code)
    expect((await get('aff/', user)).data).toBe(aff_code)
    expect(aff_code.length).toBeGreaterThanOrEqual(5)
  })

  test.each([7, 'x'])(
    'unknown fields of a self-update are ignored, whatever their type',
    async (value) => {
      const person = await plane.addPerson(ROLE.user, 1000)
      const before = await rowOf(person.id)
      const stuffed = { ...stuffing(before, OF_THE_ACCOUNT, value), id: root.id }
      const body = { ...stuffed, display_name: 'Me' }
      expect((await plane.call('PUT', '/api/user/self', { as: person, body })).success).toBe(true)
      expect(await rowOf(person.id)).toEqual({ ...before, display_name: 'Me' })
      expect((await rowOf(root.id)).display_name).toBe(root.username)
    },
  )

  test.each([7, 'x'])("unknown fields of an administrator's edit are ignored", async (value) => {
    const person = await plane.addPerson(ROLE.user, 1000)
    const before = await rowOf(person.id)
    const body = { ...stuffing(before, OF_ADMINISTRATORS, value), id: person.id }
    expect((await plane.call('PUT', '/api/user/', { as: root, body })).success).toBe(true)
    expect(await rowOf(person.id)).toEqual(before)
  })

  test.each([7, 'x'])("unknown fields of a token's edit are ignored", async (value) => {
    const person = await plane.addPerson(ROLE.user, 1000)
    const id = await plane.addToken(person, {})
    const before = await readToken(plane, id)
    const body = { ...tokenForm, ...stuffing(before, OF_A_TOKEN, value), id, status: 2 }
    expect((await plane.call('PUT', '/api/token/', { as: person, body })).success).toBe(true)
    expect(await readToken(plane, id)).toEqual(before)
  })

  test("the offered models are those of enabled channels in the user's groups, sorted, each once", async () => {
    await plane.addChannel(root, { models: 'gpt-4o,gpt-4', group: 'default' })
    await plane.addChannel(root, { models: 'gpt-4o,a-model', group: 'default,vip' })
    await plane.addChannel(root, { models: 'only-vip', group: 'vip' })
    await plane.addChannel(root, { models: 'off', group: 'default', status: 2 })
    const offered = async (group: string) => {
      await setRow(plane, 'users', user.id, { group })
      return (await get('available_models', user)).data
    }
    expect(await offered('default')).toEqual(['a-model', 'gpt-4', 'gpt-4o'])
    expect(await offered('')).toEqual(['a-model', 'gpt-4', 'gpt-4o'])
    expect(await offered('vip, default')).toEqual(['a-model', 'gpt-4', 'gpt-4o', 'only-vip'])
    expect(await offered('svip')).toEqual([])
  })

  test('the number of new access tokens is limited, for each account', async () => {
    const person = await plane.addPerson()
    for (let count = 0; count < 20; count++) {
      expect((await get('token', person)).success).toBe(true)
    }
    const before = await rowOf(person.id)
    const refused = await get('token', person)
    expect([refused.status, refused.success]).toEqual([429, false])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(await rowOf(person.id)).toEqual(before)
    expect((await get('token', await plane.addPerson())).success).toBe(true)
    plane.clock.now += 20 * 60 * 1000
    const session = await plane.signIn(person.id)
    expect((await plane.call('GET', '/api/user/token', { as: session })).success).toBe(true)
  })

  test("the dashboard sums the caller's last seven days, by day in UTC and model", async () => {
    const person = await plane.addPerson(ROLE.user, 1000)
    const counts = { requests: 2, failures: 1, prompt_tokens: 10, completion_tokens: 5 }
    const used = (at: number, quota: number, { by = person, model = 'gpt-4o' } = {}) => {
      const key = { user_id: by.id, hour: Math.floor(at / 3600), model_name: model }
      const row = { ...counts, ...key, quota }
      return plane.database.kysely.insertInto('user_hours').values(row).execute()
    }
    plane.clock.now = NOON * 1000
    const midnight = NOON - DAY / 2
    await used(midnight - 6 * DAY - 1, 1)
    await used(midnight - 6 * DAY, 2)
    await used(midnight - 1, 4)
    await used(NOON, 8)
    await used(NOON - 3600, 16)
    await used(NOON, 32, { model: 'GPT' })
    await used(NOON, 64, { by: user })
    const session = await plane.signIn(person.id)
    const { data } = await plane.call('GET', '/api/user/dashboard', { as: session })
    const one = { RequestCount: 2, PromptTokens: 10, CompletionTokens: 5 }
    const two = { RequestCount: 4, PromptTokens: 20, CompletionTokens: 10 }
    const dayOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
    expect(data).toEqual([
      { Day: dayOf(midnight - 6 * DAY), ModelName: 'gpt-4o', Quota: 2, ...one },
      { Day: dayOf(midnight - DAY), ModelName: 'gpt-4o', Quota: 4, ...one },
      { Day: dayOf(NOON), ModelName: 'GPT', Quota: 32, ...one },
      { Day: dayOf(NOON), ModelName: 'gpt-4o', Quota: 24, ...two },
    ])
    expect(dayOf(NOON)).toBe('2023-11-14')
  })
})
