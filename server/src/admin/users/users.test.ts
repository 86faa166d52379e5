import { expect, test } from 'vitest'
import { QUOTA_MAX, ROLE } from '@tollgate/contract'
import { idOf, idsOf, type Person, tokenForm } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { creditsOf, notesOf, readUser } from '../../../testing/worlds/rows.ts'

describePlanes('users on %s', ['root', 'admin'], ({ plane, root, admin }) => {
  const rowOf = (id: number) => readUser(plane, id)

  const save = (body: object, as: Person = root) => plane.call('PUT', '/api/user/', { as, body })

  const manage = (username: string, action: string, as: Person = root) =>
    plane.call('POST', '/api/user/manage', { as, body: { username, action } })

  const get = (path: string) => plane.call('GET', `/api/user/${path}`, { as: root })

  const amountsOf = async ({ id }: Person) =>
    (await creditsOf(plane, id)).map(({ amount }) => amount)

  test('a new user has the configured gift, booked once, and a default token', async () => {
    await plane.setOption('QuotaForNewUser', '500000')
    const username = '小明同学'
    const body = { username, password: 'long enough', role: 100, quota: 9, group: 'vip' }
    const answer = await plane.call('POST', '/api/user/', { as: admin, body })
    const account = { role: 1, status: 1, quota: 500_000, group: 'default' }
    expect(answer.data).toMatchObject({ ...account, username, display_name: username })
    const id = idOf(answer)
    expect(await creditsOf(plane, id)).toMatchObject([
      { amount: 500_000, source: `new-user:${id}`, actor_id: admin.id },
    ])
    expect(await notesOf(plane, id)).toMatchObject([{ type: 4 }])
    expect((await rowOf(id)).aff_code.length).toBeGreaterThanOrEqual(5)
    const session = await plane.signIn(id)
    const tokens = await plane.call('GET', '/api/token/', { as: session })
    expect(tokens.data).toMatchObject([
      { name: 'default', unlimited_quota: true, expired_time: -1, models: '', subnet: '' },
    ])
  })

  test('a taken name is refused, also for concurrent requests', async () => {
    const body = { username: 'twice', password: 'long enough' }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => plane.call('POST', '/api/user/', { as: root, body })),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    const refused = answers.find(({ success }) => !success)
    expect(refused?.message).toBe('The username "twice" is taken.')
    const other = await plane.addPerson()
    expect((await save({ id: other.id, username: 'twice' })).message).toMatch(/taken/)
  })

  test('twelve characters of two code units each count as twelve', async () => {
    const body = { username: '😀'.repeat(12), password: 'long enough' }
    expect((await plane.call('POST', '/api/user/', { as: root, body })).success).toBe(true)
  })

  test('an edit of the quota books the difference to the shown value', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const booked = await save({ id: user.id, quota: 600_000, quota_seen: 500 })
    expect(booked.data).toMatchObject({ quota: 600_500 })
    expect(await creditsOf(plane, user.id)).toMatchObject([
      { amount: 1000 },
      { amount: 599_500, actor_id: root.id },
    ])
    expect(await notesOf(plane, user.id)).toMatchObject([
      { type: 3, content: expect.stringMatching(/from \$0\.002000 to \$1\.201000/) },
    ])
  })

  test('an edit whose answer was lost may be repeated and is booked once', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const edit = { id: user.id, quota: 1500, quota_seen: 1000, edit_id: 'of a form' }
    for (const display_name of ['first', 'again']) {
      const answer = await save({ ...edit, display_name })
      expect(answer.data).toMatchObject({ quota: 1500, display_name })
    }
    expect(await amountsOf(user)).toEqual([1000, 500])
    expect(await notesOf(plane, user.id)).toHaveLength(1)
    const other = await save({ ...edit, quota: 1700, display_name: 'other' })
    expect(other.message).toMatch(/Another change with the id "of a form" has already been made/)
    const back = await save({ ...edit, quota: 1000, display_name: 'back' })
    expect(back.message).toBe(other.message)
    expect(await rowOf(user.id)).toMatchObject({ quota: 1500, display_name: 'again' })
    const stranger = await plane.addPerson(ROLE.user, 1000)
    expect((await save({ ...edit, id: stranger.id })).data).toMatchObject({ quota: 1500 })
  })

  test('the id of an edit belongs to its author, and requires the shown value', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const edit = { id: user.id, quota: 1500, quota_seen: 1000, edit_id: 'edit-7' }
    expect((await save(edit)).data).toMatchObject({ quota: 1500 })
    expect((await save(edit, admin)).data).toMatchObject({ quota: 2000 })
    const refused = await save({ id: user.id, quota: 1500, edit_id: 'edit-7' })
    expect(refused.message).toMatch(/quota_seen.*must come with edit_id/)
    expect(await rowOf(user.id)).toMatchObject({ quota: 2000 })
  })

  test('an edit of the quota without the shown value sets it, also to 0', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    expect((await save({ id: user.id, quota: 0 })).data).toMatchObject({ quota: 0 })
    expect(await amountsOf(user)).toEqual([1000, -1000])
  })

  test('an edit during a promotion is refused', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    let saving: ReturnType<typeof save> | undefined
    await plane.database.transaction(async (tx) => {
      await tx.updateTable('users').set({ role: 10 }).where('id', '=', user.id).execute()
      saving = save({ id: user.id, quota: 5000 }, admin)
      // Gives the edit time to read its caller and wait for the promotion's lock.
      for (let times = 0; times < 20; times++) {
        await plane.call('GET', '/api/user/self', { as: root })
      }
    })
    expect((await saving)?.message).toBe('You can only manage users whose role is below yours.')
    expect(await amountsOf(user)).toEqual([1000])
  })

  test('a quota below 0 or above the maximum is refused, with the rest of the edit', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const beyond = [{ quota: -1 }, { quota: QUOTA_MAX + 1 }]
    const summed = [
      { quota: 0, quota_seen: 5000 },
      { quota: QUOTA_MAX, quota_seen: 0 },
    ]
    for (const edit of [...beyond, ...summed]) {
      const answer = await save({ id: user.id, display_name: 'changed', ...edit })
      expect(answer.success, JSON.stringify(edit)).toBe(false)
    }
    expect(await rowOf(user.id)).toMatchObject({ quota: 1000, display_name: user.username })
  })

  test('an edit does not change unnamed fields', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const before = await rowOf(user.id)
    await save({ id: user.id, display_name: 'only this' })
    expect(await rowOf(user.id)).toEqual({ ...before, display_name: 'only this' })
  })

  test('groups must have a price; several are kept in their order', async () => {
    const user = await plane.addPerson()
    const refused = await save({ id: user.id, group: 'default,nope' })
    expect(refused.message).toMatch(/no group "nope".*default, svip, vip/)
    const several = await save({ id: user.id, group: ' vip, default,vip' })
    expect(several.data).toMatchObject({ group: 'vip,default' })
    expect((await save({ id: user.id, group: ' , ' })).data).toMatchObject({ group: 'default' })
  })

  const MATRIX = [
    // actor, action, allowed on a user, on an admin, on root
    ['admin', 'disable', true, false, false],
    ['admin', 'enable', true, false, false],
    ['admin', 'delete', true, false, false],
    ['admin', 'promote', false, false, false],
    ['admin', 'demote', false, false, false],
    ['root', 'disable', true, true, false],
    ['root', 'enable', true, true, true],
    ['root', 'delete', true, true, false],
    ['root', 'promote', true, false, false],
    ['root', 'demote', false, true, false],
  ] as const

  test.each(MATRIX)('%s may %s: user %s, admin %s, root %s', async (who, action, ...allowed) => {
    const actor = who === 'root' ? root : admin
    for (const [index, role] of [ROLE.user, ROLE.admin, ROLE.root].entries()) {
      const target = await plane.addPerson(role)
      const before = await rowOf(target.id)
      const answer = await manage(target.username, action, actor)
      expect(answer.success, `on ${role}`).toBe(allowed[index])
      if (!answer.success) expect(await rowOf(target.id)).toEqual(before)
    }
  })

  test('managing returns the new role and status', async () => {
    const user = await plane.addPerson()
    expect((await manage(user.username, 'promote')).data).toEqual({ role: 10, status: 1 })
    expect((await manage(user.username, 'demote')).data).toEqual({ role: 1, status: 1 })
    expect((await manage(user.username, 'disable')).data).toEqual({ role: 1, status: 2 })
    expect((await manage(user.username, 'enable')).data).toEqual({ role: 1, status: 1 })
    expect((await manage(user.username, 'delete')).data).toEqual({ role: 1, status: 3 })
    expect((await manage(user.username, 'enable')).message).toBe('There is no such user.')
    expect((await manage('', 'disable')).success).toBe(false)
    expect((await manage(user.username, 'destroy')).success).toBe(false)
  })

  test('a deleted user is hidden, keeps the books, releases the name and loses all access', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    await plane.call('POST', '/api/token/', { as: user, body: tokenForm })
    const answer = await plane.call('DELETE', `/api/user/${user.id}/`, { as: admin })
    expect([answer.status, answer.success]).toEqual([200, true])
    const row = await rowOf(user.id)
    expect(row).toMatchObject({ status: 3, quota: 1000, access_token_hash: null })
    expect(row.username).toMatch(/^deleted_[0-9a-f]{32}$/)
    for (const path of ['?size=100', 'search?keyword=deleted_']) {
      expect((await get(path)).text).not.toContain('deleted_')
    }
    expect((await plane.call('GET', '/api/user/self', { as: user })).status).toBe(401)
    const gone = [await get(`${user.id}`), await save({ id: user.id, quota: 5 })]
    for (const { message } of gone) expect(message).toBe('There is no such user.')
  })

  test('the list is sorted, counted and paged from 0', async () => {
    const poor = await plane.addPerson(ROLE.user, 1)
    const rich = await plane.addPerson(ROLE.user, QUOTA_MAX)
    const ids = async (query: string) => idsOf(await get(`?${query}`))
    expect(await ids('sort=quota&order=desc&size=1')).toEqual([rich.id])
    expect(await ids('size=2')).toEqual([rich.id, poor.id])
    expect(await ids('size=1&p=1')).toEqual([poor.id])
    expect((await ids(`size=1&before=${poor.id}`))[0]).toBeLessThan(poor.id)
    const all = await get('?size=100')
    expect(all.headers['x-total-count']).toBe(String(idsOf(all).length))
    const beyond = await get('?p=900')
    expect(beyond.data).toEqual([])
    expect(beyond.headers['x-total-count']).toBe(all.headers['x-total-count'])
  })

  test('invalid values in a list query count as the default', async () => {
    const pages = ['p=-1', 'p=x', 'p=1e999', 'p=1&p=2', 'size=0', 'size=NaN', 'before=x']
    const usual = await get('')
    for (const query of [...pages, 'sort=password_hash', 'order=up', '__proto__=1']) {
      expect((await get(`?${query}`)).text, query).toBe(usual.text)
    }
    const deep = await get('?p=999999&size=100')
    expect([deep.status, deep.success]).toEqual([200, false])
  })
})
