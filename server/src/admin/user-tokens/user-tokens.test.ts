import { beforeAll, expect, test } from 'vitest'
import { ROLE, type UserToken, userTokenEndpoints } from '@tollgate/contract'
import { idOf, keyOf, type Person, tokenForm } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { notesOf, readToken, setRow } from '../../../testing/worlds/rows.ts'

const URL = '/api/user-token/'

const rowsOf = (data: unknown): UserToken[] =>
  userTokenEndpoints.listUserTokens.parts.data.parse(data)

describePlanes('tokens of users, on %s', ['root', 'admin'], ({ plane, root, admin }) => {
  let other: Person
  let ann: Person
  let ben: Person
  /** Made in this order. */
  const names = ['rootkey', 'adminkey', 'otherkey', '客户-张三', 'Web shop', 'shop'] as const
  const tokens = new Map<string, { id: number; key: string }>()

  beforeAll(async () => {
    other = await plane.addPerson(ROLE.admin)
    ann = await plane.addPerson()
    ben = await plane.addPerson()
    const owners = [root, admin, other, ann, ann, ben]
    for (const [index, name] of names.entries()) {
      const body = { ...tokenForm, name, unlimited_quota: true }
      const as = owners[index] ?? root
      const made = await plane.call('POST', '/api/token/', { as, body })
      tokens.set(name, { id: idOf(made), key: keyOf(made) })
    }
  })

  const token = (name: (typeof names)[number]) => tokens.get(name) ?? { id: 0, key: '' }
  const list = (as: Person, query = '') => plane.call('GET', `${URL}?${query}`, { as })
  const found = async (keyword: string, as = admin) => {
    const { data } = await plane.call('POST', `${URL}find`, { as, body: { keyword } })
    return rowsOf(data).map(({ name }) => name)
  }
  const setStatus = (as: Person, id: number, status: unknown) =>
    plane.call('PUT', URL, { as, body: { id, status } })
  const revoke = (as: Person, id: number) => plane.call('DELETE', `${URL}${id}`, { as })

  test('an administrator sees those of lower roles and their own; root sees all', async () => {
    const seen = async (as: Person, query = '') =>
      rowsOf((await list(as, query)).data).map(({ name }) => name)
    expect(await seen(admin)).toEqual(['shop', 'Web shop', '客户-张三', 'adminkey'])
    expect(await seen(root)).toEqual(names.toReversed())
    expect(await seen(admin, `user_id=${ann.id}`)).toEqual(['Web shop', '客户-张三'])
    expect(await seen(admin, `user_id=${root.id}`)).toEqual([])
    const page = await list(admin, 'size=2&p=1')
    expect(page.headers['x-total-count']).toBe('4')
    expect(rowsOf(page.data).map(({ name }) => name)).toEqual(['客户-张三', 'adminkey'])
  })

  test('a row names the owner, and never the key', async () => {
    const { data, text } = await list(root, `user_id=${ben.id}`)
    const { id, key } = token('shop')
    const owner = { user_id: ben.id, username: ben.username }
    const key_hint = `sk-${key.slice(0, 2)}…${key.slice(-2)}`
    expect(rowsOf(data)).toMatchObject([
      { id, ...owner, key_hint, status: 1, unlimited_quota: true },
    ])
    const everything = (await list(root, 'size=100')).text + text
    for (const { key: secret } of tokens.values()) expect(everything).not.toContain(secret)
    expect(everything).not.toContain('key_sealed')
  })

  test('a name is found by any part, whatever the case', async () => {
    expect(await found('张三')).toEqual(['客户-张三'])
    expect(await found('SHOP')).toEqual(['shop', 'Web shop'])
    expect(await found('%')).toEqual([])
    expect(await found('rootkey')).toEqual([])
  })

  test('a token is found by its key, by its beginning, masked, and by a part', async () => {
    const { key } = token('Web shop')
    expect(await found(`sk-${key}`)).toEqual(['Web shop'])
    expect(await found(key)).toEqual(['Web shop'])
    expect(await found(`sk-${key.slice(0, 10)}`)).toEqual(['Web shop'])
    for (const gap of ['…', '...', '****']) {
      expect(await found(`sk-${key.slice(0, 4)}${gap}${key.slice(-4)}`)).toEqual(['Web shop'])
    }
    expect(await found(key.slice(20, 30))).toEqual(['Web shop'])
    expect(await found(key.slice(20, 25)), 'too short').toEqual([])
    expect(await found('sk-'), 'all keys').toEqual([])
    expect(await found(`sk-${token('otherkey').key}`), 'of an equal').toEqual([])
    expect(await found(`sk-${token('otherkey').key.slice(0, 12)}`)).toEqual([])
    expect(await found(`sk-${token('otherkey').key}`, root)).toEqual(['otherkey'])
  })

  test('a token is disabled, enabled and revoked, and the log says by whom', async () => {
    const { id, key } = token('shop')
    const stored = () => readToken(plane, id)
    expect((await setStatus(admin, id, 2)).data).toMatchObject({ name: 'shop', status: 2 })
    expect(await stored()).toMatchObject({ status: 2 })
    expect((await setStatus(admin, id, 1)).data).toMatchObject({ status: 1 })
    expect((await revoke(admin, id)).success).toBe(true)
    expect(await stored()).toMatchObject({ key_hash: null })
    expect(await found(`sk-${key}`)).toEqual([])
    expect((await revoke(admin, id)).success).toBe(false)
    const notes = await notesOf(plane, admin.id)
    expect(notes.map(({ content }) => content).slice(-3)).toEqual([
      `Disabled the API key "shop" (#${id}) of ${ben.username}`,
      `Enabled the API key "shop" (#${id}) of ${ben.username}`,
      `Revoked the API key "shop" (#${id}) of ${ben.username}`,
    ])
  })

  test('tokens of equals and of root are not found, and a wrong status is named', async () => {
    for (const name of ['rootkey', 'otherkey'] as const) {
      const { id } = token(name)
      expect((await setStatus(admin, id, 2)).success, name).toBe(false)
      expect((await revoke(admin, id)).success, name).toBe(false)
    }
    expect((await setStatus(admin, token('Web shop').id, 3)).message).toContain('"status"')
    const { data } = await list(root, 'size=100')
    expect(rowsOf(data).every(({ status }) => status === 1)).toBe(true)
    expect((await setStatus(root, token('otherkey').id, 2)).success).toBe(true)
  })

  test('an expired token cannot be enabled', async () => {
    const { id } = token('Web shop')
    const expired = { expired_time: Math.floor(plane.clock.now / 1000) - 1 }
    await setRow(plane, 'tokens', id, expired)
    expect((await setStatus(admin, id, 1)).success).toBe(false)
    const { data } = await list(admin, `user_id=${ann.id}`)
    expect(rowsOf(data)[0]).toMatchObject({ id, status: 3 })
  })
})
