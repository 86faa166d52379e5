import { beforeAll, expect, test } from 'vitest'
import { SEARCH_ROWS_MAX } from '@tollgate/contract'
import { idsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

describePlanes('searches of users on %s', ['root'], ({ plane, root }) => {
  beforeAll(async () => {
    for (let count = 0; count < 6; count += 1) await plane.addPerson()
  })

  test('a search finds by id and by parts, and takes wildcards literally', async () => {
    const user = await plane.addPerson()
    const body = { id: user.id, display_name: '50%_\\off 张三 Éva' }
    await plane.call('PUT', '/api/user/', { as: root, body })
    const find = async (path: string, keyword: string) =>
      idsOf(await plane.call('GET', path + encodeURIComponent(keyword), { as: root }))
    for (const path of ['/api/user/search?keyword=', '/api/user/?size=100&keyword=']) {
      const search = (keyword: string) => find(path, keyword)
      expect(await search(String(user.id))).toContain(user.id)
      expect(await search(` ${user.username.slice(0, 6)} `)).toContain(user.id)
      expect(await search(user.username.slice(2).toUpperCase())).toContain(user.id)
      for (const keyword of ['50%_\\', '%_', '_\\OFF', '张三', 'Éva', '三 É']) {
        expect(await search(keyword), keyword).toEqual([user.id])
      }
      expect(await search('%%')).toEqual([])
      expect(await search("' or 1=1 --")).toEqual([])
      expect((await search('')).length).toBeGreaterThan(5)
    }
  })

  test('a search has pages in every order, and the total of what it finds', async () => {
    const people = []
    for (let count = 0; count < 5; count += 1) people.push(await plane.addPerson())
    const ids = people.map(({ id }) => id)
    const [first = 0, second = 0, , fourth = 0, last = 0] = ids
    const users = plane.database.kysely.updateTable('users')
    await users.set({ display_name: 'paged' }).where('id', 'in', ids).execute()
    await users.set({ display_name: 'is paged', group: 'a' }).where('id', '=', last).execute()
    const find = async (query: string) => {
      const found = await plane.call('GET', `/api/user/?keyword=page&size=2&${query}`, { as: root })
      expect(found.headers['x-total-count'], query).toBe('5')
      return idsOf(found)
    }
    expect(await find('p=0')).toEqual([last, fourth])
    expect(await find('p=2')).toEqual([first])
    expect(await find('p=3')).toEqual([])
    expect(await find('order=asc')).toEqual([first, second])
    expect(await find('sort=group&order=asc')).toEqual([last, first])
    expect(await find(`before=${second}`)).toEqual([first])
  })

  test('a filter applies before the number of found users is limited', async () => {
    const people = []
    for (let count = 0; count <= SEARCH_ROWS_MAX; count += 1) people.push(await plane.addPerson())
    const ids = people.map(({ id }) => id)
    const last = ids.at(-1) ?? 0
    const users = plane.database.kysely.updateTable('users')
    await users.set({ display_name: 'limit' }).where('id', 'in', ids).execute()
    await users.set({ display_name: 'limit z', group: 'vip' }).where('id', '=', last).execute()
    const found = async (query: string) =>
      idsOf(await plane.call('GET', `/api/user/?size=100&${query}`, { as: root }))
    expect(await found('keyword=limi')).not.toContain(last)
    expect(await found('keyword=limi&group=vip')).toEqual([last])
    expect(await found('keyword=imit&group=vip')).toEqual([last])
  })
})
