import { beforeAll, expect, test } from 'vitest'
import { QUOTA_MAX, ROLE, TOKENS_PER_USER_MAX } from '@tollgate/contract'
import { request, settlement } from '../../../testing/ledger/ledger-world.ts'
import {
  idOf,
  keyOf,
  type Person,
  rowsOf,
  tokenForm,
} from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { creditsOf, readToken, setRow, storedRows } from '../../../testing/worlds/rows.ts'

describePlanes('tokens on %s', [], ({ plane }) => {
  let owner: Person

  beforeAll(async () => {
    owner = await plane.addPerson(ROLE.user, 10_000)
  })

  const create = (form: object = {}, as = owner) =>
    plane.call('POST', '/api/token/', { as, body: { ...tokenForm, ...form } })

  const save = (body: object, query = '', as = owner) =>
    plane.call('PUT', `/api/token/${query}`, { as, body })

  const show = async (id: number, as = owner) =>
    (await plane.call('GET', `/api/token/${id}`, { as })).data

  const rowOf = (id: number) => readToken(plane, id)

  const amountsOf = async (id: number) =>
    (await creditsOf(plane, id, 'token')).map(({ amount }) => amount)

  const switchTo = (id: number, status: unknown) => save({ id, status }, '?status_only=true')

  const now = () => Math.floor(plane.clock.now / 1000)

  test('a new token is returned with its key, which is stored only encrypted and hashed', async () => {
    const lists = { models: ' gpt-4o，gpt-4o ,,\nb', subnet: '10.0.0.0/8、 ::1/128;' }
    const answer = await create(lists)
    expect(answer.data).toMatchObject({
      key: expect.stringMatching(/^[0-9A-Za-z]{48}$/),
      user_id: owner.id,
      status: 1,
      remain_quota: 1000,
      unlimited_quota: false,
      models: 'gpt-4o,b',
      subnet: '10.0.0.0/8,::1/128',
    })
    const id = idOf(answer)
    const key = keyOf(answer)
    const row = await rowOf(id)
    expect(JSON.stringify(row)).not.toContain(key)
    expect(row.key_hash).toBe(plane.secrets.hashRelayKey(key))
    const credit = { amount: 1000, source: `token:${id}` }
    expect(await creditsOf(plane, id, 'token')).toMatchObject([credit])
    expect(await show(id)).toEqual(answer.data)
  })

  test('fields of older clients are accepted', async () => {
    const unlimited = { name: '', remain_quota: -1, unlimited_quota: true, expired_time: 0 }
    const body = { ...unlimited, models: null, subnet: null, model_limits: {}, group: 'x' }
    const shown = { remain_quota: 0, expired_time: -1, models: '' }
    expect((await create(body)).data).toMatchObject(shown)
    expect((await create({ name: '名'.repeat(30) })).success).toBe(true)
  })

  test.each([
    ['long name', { name: 'x'.repeat(31) }, /30 characters/],
    ['quota below 0', { remain_quota: -2 }, /remain_quota/],
    ['quota beyond the largest', { remain_quota: QUOTA_MAX + 1 }, /remain_quota/],
    ['expiry before the epoch', { expired_time: -5 }, /expired_time/],
    ['no range', { subnet: '10.0.0.0/99' }, /10\.0\.0\.0\/99/],
    ['no range at all', { subnet: '10.0.0.0/8,home' }, /home/],
    ['a pattern of models', { models: 'o3,gpt-4o*' }, /"models".*"gpt-4o\*"/],
  ])('refuses %s and books nothing', async (_, form, message) => {
    const before = await storedRows(plane, 'tokens')
    const answer = await create(form)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(message)
    expect(await storedRows(plane, 'tokens')).toEqual(before)
  })

  test('an edit replaces the settings, keeps the status and books the difference', async () => {
    const id = idOf(await create({ models: 'a', subnet: '10.0.0.0/8' }))
    await switchTo(id, 2)
    const edit = { ...tokenForm, id, name: 'renamed', status: 1 }
    const answer = await save({ ...edit, remain_quota: 300, quota_seen: 900 })
    const cleared = { models: '', subnet: '' }
    expect(answer.data).toMatchObject({
      ...cleared,
      name: 'renamed',
      remain_quota: 400,
      status: 2,
    })
    expect(await amountsOf(id)).toEqual([1000, -600])
  })

  test('an edit whose answer was lost may be repeated and is booked once', async () => {
    const id = idOf(await create())
    const edit = { ...tokenForm, id, remain_quota: 300, quota_seen: 900, edit_id: 'of a form' }
    for (const name of ['first', 'again']) {
      expect((await save({ ...edit, name })).data).toMatchObject({ remain_quota: 400, name })
    }
    expect(await amountsOf(id)).toEqual([1000, -600])
    const other = await save({ ...edit, remain_quota: 500 })
    expect(other.message).toMatch(/Another change with the id "of a form" has already been made/)
    expect((await save({ ...edit, quota_seen: 300 })).message).toBe(other.message)
    expect(await show(id)).toMatchObject({ remain_quota: 400 })
  })

  test('an edit that could book less than requested is recognized when repeated', async () => {
    const id = idOf(await create({ remain_quota: 100 }))
    const edit = { ...tokenForm, id, remain_quota: 0, quota_seen: 900 }
    const less = { ...edit, edit_id: 'less' }
    expect((await save(less)).data).toMatchObject({ remain_quota: 0 })
    const nothing = { ...edit, quota_seen: 50, edit_id: 'nothing' }
    expect((await save(nothing)).data).toMatchObject({ remain_quota: 0 })
    expect((await save({ ...edit, remain_quota: 700, quota_seen: 0 })).success).toBe(true)
    for (const again of [less, nothing]) {
      expect((await save(again)).data).toMatchObject({ remain_quota: 700 })
    }
    expect(await amountsOf(id)).toEqual([100, -100, 0, 700])
  })

  test('a status change needs an allowed status', async () => {
    const id = idOf(await create())
    for (const status of [0, 3, null, undefined]) {
      expect((await switchTo(id, status)).success).toBe(false)
    }
    expect(await show(id)).toMatchObject({ remain_quota: 1000, status: 1 })
  })

  test('a status change changes nothing else', async () => {
    const id = idOf(await create({ models: 'a' }))
    const before = await rowOf(id)
    const answer = await save({ id, status: 2, name: 'x', remain_quota: 0 }, '?status_only=1')
    expect(answer.data).toMatchObject({ status: 2 })
    expect(await rowOf(id)).toEqual({ ...before, status: 2 })
  })

  test('a body with nothing but a status changes nothing more, a form without a list clears it', async () => {
    const id = idOf(await create({ models: 'a', subnet: '10.0.0.0/8', expired_time: now() + 60 }))
    const before = await rowOf(id)
    const nothing = { models: null, subnet: null, remain_quota: null, name: null }
    for (const status of [2, 1, 2]) {
      const answer = await save({ id, status, ...nothing })
      expect(answer.data).toMatchObject({ status, models: 'a', subnet: '10.0.0.0/8' })
      expect(await rowOf(id)).toEqual({ ...before, status })
    }
    expect((await save({ id })).success).toBe(false)
    expect((await save({ id, status: 3 })).success).toBe(false)
    expect(await rowOf(id)).toEqual({ ...before, status: 2 })
    expect(await amountsOf(id)).toEqual([1000])
    const form = { id, name: 'shop', remain_quota: 500, unlimited_quota: false, expired_time: -1 }
    expect((await save({ ...form, status: 1 })).data).toMatchObject({
      status: 2,
      models: '',
      subnet: '',
      expired_time: -1,
      remain_quota: 500,
    })
  })

  test('a token past its expiry shows as expired and is enabled only with a new one', async () => {
    const id = idOf(await create({ expired_time: now() + 10 }))
    plane.clock.now += 11_000
    expect(await show(id)).toMatchObject({ status: 3 })
    const refused = await switchTo(id, 1)
    expect(refused.message).toMatch(/expired/)
    const edited = await save({ ...tokenForm, id, expired_time: now() + 1000 })
    expect(edited.data).toMatchObject({ status: 3 })
    expect((await switchTo(id, 1)).data).toMatchObject({ status: 1 })
  })

  test('an exhausted token is enabled only with quota', async () => {
    const id = idOf(await create({ remain_quota: 0 }))
    expect(await show(id)).toMatchObject({ status: 4 })
    expect((await switchTo(id, 1)).message).toMatch(/no quota left/)
    const edited = await save({ ...tokenForm, id, remain_quota: 5 })
    expect(edited.data).toMatchObject({ status: 4 })
    expect((await switchTo(id, 1)).data).toMatchObject({ status: 1 })
    const free = idOf(await create({ remain_quota: 0, unlimited_quota: true }))
    expect(await show(free)).toMatchObject({ status: 1 })
  })

  test('a deleted token disappears for its owner and keeps its row without a key', async () => {
    const id = idOf(await create())
    const answer = await plane.call('DELETE', `/api/token/${id}/`, { as: owner })
    expect(answer.success).toBe(true)
    expect(await rowOf(id)).toMatchObject({ key_hash: null, key_sealed: null, remain_quota: 1000 })
    expect(await show(id)).toBeUndefined()
    const list = await plane.call('GET', '/api/token/?size=100', { as: owner })
    expect(JSON.stringify(list.data)).not.toContain(`"id":${id},`)
    for (const again of [
      await plane.call('DELETE', `/api/token/${id}`, { as: owner }),
      await switchTo(id, 1),
      await save({ ...tokenForm, id }),
    ]) {
      expect(again.message).toBe('There is no such token.')
    }
  })

  test('a token with running requests is deleted, and they end normally', async () => {
    const tokenId = idOf(await create())
    const context = request(owner.id, tokenId, { tokenLimited: true })
    const outcome = await plane.ledger.hold(context, { min: 100, max: 100 })
    if (outcome.type !== 'held') throw new Error(outcome.type)
    await plane.call('DELETE', `/api/token/${tokenId}`, { as: owner })
    await outcome.hold.void(settlement(0))
    expect(plane.ledger.running()).toBe(0)
    expect(await rowOf(tokenId)).toMatchObject({ remain_quota: 1000 })
    const self = await plane.call('GET', '/api/user/self', { as: owner })
    expect(self.data).toMatchObject({ quota: 10_000 })
  })

  test('the list is sorted and paged', async () => {
    const person = await plane.addPerson()
    await create({ name: 'b%', remain_quota: 1 }, person)
    await create({ name: 'a', remain_quota: 3 }, person)
    await create({ name: 'ab', remain_quota: 2 }, person)
    const names = async (path: string) => {
      return rowsOf(await plane.call('GET', path, { as: person })).map((row) => row['name'])
    }
    expect(await names('/api/token/')).toEqual(['ab', 'a', 'b%'])
    expect(await names('/api/token/?sort=remain_quota&order=asc')).toEqual(['b%', 'ab', 'a'])
    expect(await names('/api/token/?size=1&p=1')).toEqual(['a'])
  })

  test('a search finds parts of names in any case, and takes wildcards literally', async () => {
    const person = await plane.addPerson()
    for (const name of ['b%', 'Web-1', '客户-张三', 'Éa']) await create({ name }, person)
    const search = async (keyword: string) => {
      const path = `/api/token/search?keyword=${encodeURIComponent(keyword)}`
      return rowsOf(await plane.call('GET', path, { as: person })).map((row) => row['name'])
    }
    expect(await search('EB')).toEqual(['Web-1'])
    expect(await search('张三')).toEqual(['客户-张三'])
    expect(await search('-')).toEqual(['客户-张三', 'Web-1'])
    expect(await search('ÉA')).toEqual(['Éa'])
    expect(await search('%')).toEqual(['b%'])
    expect(await search('_')).toEqual([])
  })

  test('a user has a limited number of tokens, an administrator any number', async () => {
    const person = await plane.addPerson()
    const { id, key_hash, ...row } = await rowOf(idOf(await create({}, person)))
    const rows = Array.from({ length: TOKENS_PER_USER_MAX - 2 }, (_, index) => ({
      ...row,
      key_hash: `${key_hash} of ${id} ${index}`,
    }))
    await plane.database.kysely.insertInto('tokens').values(rows).execute()
    const answers = await Promise.all([create({}, person), create({}, person), create({}, person)])
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    expect(answers.find(({ success }) => !success)?.message).toMatch(/at most 1000/)
    await setRow(plane, 'users', person.id, { role: ROLE.admin })
    expect((await create({}, person)).success).toBe(true)
  })
})
