import { expect, test, vi } from 'vitest'
import { ROLE, USER_SORTS, USER_STATUS } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import { idsOf, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { readToken, readUser, setRow } from '../../../testing/worlds/rows.ts'

describePlanes('the order of lists on %s', ['root'], ({ plane, root }) => {
  const ids = async (path: string, as = root) => idsOf(await plane.call('GET', path, { as }))

  test('users are listed in the order that older front ends name, greatest first', async () => {
    const little = await plane.addPerson(ROLE.user, 1000)
    const much = await plane.addPerson(ROLE.user, 900)
    const none = await plane.addPerson(ROLE.user, 0)
    await spend(plane.ledger, { by: little, tokenId: await plane.addToken(little), cost: 1 })
    await spend(plane.ledger, { by: much, tokenId: await plane.addToken(much), cost: 800 })
    expect((await ids('/api/user/?order=quota')).slice(0, 2)).toEqual([little.id, much.id])
    expect((await ids('/api/user/?order=used_quota')).slice(0, 2)).toEqual([much.id, little.id])
    expect((await ids('/api/user/?order=request_count')).slice(0, 2)).toEqual([much.id, little.id])
    expect((await ids('/api/user/?order=')).slice(0, 2)).toEqual([none.id, much.id])
    expect((await ids('/api/user/?order=password_hash'))[0]).toBe(none.id)
  })

  test('every sortable column of users sorts both ways', async () => {
    const all = await ids('/api/user/?size=100')
    for (const sort of USER_SORTS) {
      const down = await ids(`/api/user/?size=100&sort=${sort}`)
      const up = await ids(`/api/user/?size=100&sort=${sort}&order=asc`)
      const byId = down.toSorted((a, b) => b - a)
      expect({ sort, byId, up }).toEqual({ sort, byId: all, up: down.toReversed() })
    }
  })

  test('an unlimited token sorts above all others, and used quota sorts too', async () => {
    const person = await plane.addPerson(ROLE.user, 1000)
    const few = await plane.addToken(person, { remain_quota: 5 })
    const free = await plane.addToken(person, { remain_quota: 0, unlimited_quota: true })
    const many = await plane.addToken(person, { remain_quota: 500 })
    const sorted = (query: string) => ids(`/api/token/?${query}`, person)
    expect(await sorted('order=remain_quota')).toEqual([free, many, few])
    expect(await sorted('sort=remain_quota&order=desc&p=0&size=1')).toEqual([free])
    expect(await sorted('sort=remain_quota&order=asc')).toEqual([few, many, free])
    await spend(plane.ledger, { by: person, tokenId: few, cost: 3 })
    await spend(plane.ledger, { by: person, tokenId: free, cost: 2 })
    expect(await sorted('order=used_quota')).toEqual([few, free, many])
    expect(await sorted('order=')).toEqual([many, free, few])
  })

  test('many tokens are paged in a recent order, and shown with current values', async () => {
    const { kysely } = plane.database
    const person = await plane.addPerson(ROLE.user)
    const first = await plane.addToken(person, { remain_quota: 1 })
    const { id, ...row } = await readToken(plane, first)
    const copies = Array.from({ length: 500 }, (_, index) => index + 2)
    const added = await kysely
      .insertInto('tokens')
      .values(copies.map((quota) => ({ ...row, key_hash: `copy ${quota}`, remain_quota: quota })))
      .returning(['id', 'remain_quota'])
      .execute()
    const most = added.toSorted((a, b) => b.remain_quota - a.remain_quota).map((token) => token.id)
    const page = '/api/token/?sort=remain_quota&order=desc&size=10'
    expect(await ids(page, person)).toEqual(most.slice(0, 10))
    expect(await ids(`${page}&p=50`, person)).toEqual([id])
    await setRow(plane, 'tokens', id, { remain_quota: 900, name: 'raised' })
    expect(await ids(page, person)).toEqual(most.slice(0, 10))
    const last = await plane.call('GET', `${page}&p=50`, { as: person })
    expect(rowsOf(last)).toMatchObject([{ id, name: 'raised', remain_quota: 900 }])
    expect(last.headers).toMatchObject({ 'x-total-count': '501' })
    await vi.waitFor(async () => expect((await ids(page, person))[0]).toBe(id), { timeout: 5000 })
  })

  test('far pages of users show a recent order, without deleted users', async () => {
    const { kysely } = plane.database
    await plane.addPerson()
    await plane.addPerson()
    const { id, ...row } = await readUser(plane, root.id)
    const copies = Array.from({ length: 1020 }, (_, index) => ({
      ...row,
      username: `copy ${index}`,
      username_folded: `copy ${index}`,
      access_token_hash: null,
      role: ROLE.user,
      aff_code: `aff ${index}`,
      gift_code: `gift ${index}`,
    }))
    const added = []
    for (let from = 0; from < copies.length; from += 34) {
      const some = copies.slice(from, from + 34)
      added.push(...(await kysely.insertInto('users').values(some).returning('id').execute()))
    }
    const newest = added.map(({ id }) => id).toSorted((a, b) => b - a)
    const page = '/api/user/?size=10&p=101'
    expect(await ids(page)).toEqual(newest.slice(1010))
    const [gone, ...left] = newest.slice(1010)
    await setRow(plane, 'users', gone ?? id, { status: USER_STATUS.deleted })
    expect(await ids(page)).toEqual(left)
    await vi.waitFor(async () => expect((await ids(page)).slice(0, 9)).toEqual(left), {
      timeout: 5000,
    })
    await plane.call('DELETE', `/api/user/${left[0]}`, { as: root })
    const full = await ids(page)
    expect(full).toHaveLength(10)
    expect(full.slice(0, 8)).toEqual(left.slice(1))
    await kysely.deleteFrom('users').where('username', 'like', 'copy %').execute()
  })

  test('a search finds the newest of few and the first of many, and no deleted users', async () => {
    const person = await plane.addPerson()
    const rename = (id: number, change: object) => setRow(plane, 'users', id, change)
    const people = []
    for (let count = 0; count < 120; count++) people.push((await plane.addPerson()).id)
    for (const [index, id] of people.entries()) {
      await rename(id, { display_name: `crowd ${String(index).padStart(3, '0')}` })
    }
    await rename(person.id, { email: 'crowd@example.com', display_name: '' })
    const crowd = await plane.call('GET', '/api/user/search?keyword=crowd', { as: root })
    expect(rowsOf(crowd)).toHaveLength(100)
    expect(idsOf(crowd)).toEqual(idsOf(crowd).toSorted((a, b) => b - a))
    expect(await ids('/api/user/search?keyword=crowd%40')).toEqual([person.id])
    expect(await ids('/api/user/search?keyword=crowd%20119')).toEqual([people[119]])
    expect(await ids('/api/user/search?keyword=OWD%20119')).toEqual([people[119]])
    await plane.call('DELETE', `/api/user/${people[119]}`, { as: root })
    expect(await ids('/api/user/search?keyword=crowd%20119')).toEqual([])
  })
})
