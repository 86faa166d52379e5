import { expect, test } from 'vitest'
import { QUOTA_MAX, ROLE } from '@tollgate/contract'
import { idOf, idsOf, type Person, tokenForm } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { readUser } from '../../../testing/worlds/rows.ts'

describePlanes('users on %s', ['root', 'admin'], ({ plane, root, admin }) => {
  const rowOf = (id: number) => readUser(plane, id)

  const save = (body: object, as: Person = root) => plane.call('PUT', '/api/user/', { as, body })

  const manage = (username: string, action: string, as: Person = root) =>
    plane.call('POST', '/api/user/manage', { as, body: { username, action } })

  const creditsOf = (id: number) =>
    plane.database.kysely
      .selectFrom('credits')
      .select(['amount', 'source', 'actor_id'])
      .where('kind', '=', 'user')
      .where('owner_id', '=', id)
      .orderBy('id')
      .execute()

  const notesOf = (id: number) =>
    plane.database.kysely
      .selectFrom('logs')
      .select(['type', 'content', 'content_zh'])
      .where('user_id', '=', id)
      .orderBy('id')
      .execute()

  test('a new user has the configured gift, booked once, and a default token', async () => {
    await plane.setOption('QuotaForNewUser', '500000')
    const body = {
      username: '小明同学',
      password: 'long enough',
      role: 100,
      quota: 9,
      group: 'vip',
    }
    const answer = await plane.call('POST', '/api/user/', { as: admin, body })
    expect(answer.data).toMatchObject({
      username: '小明同学',
      display_name: '小明同学',
      role: 1,
      status: 1,
      quota: 500_000,
      group: 'default',
    })
    const id = idOf(answer)
    expect(await creditsOf(id)).toEqual([
      { amount: 500_000, source: `new-user:${id}`, actor_id: admin.id },
    ])
    expect(await notesOf(id)).toMatchObject([{ type: 4 }])
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

  test.each([
    ['empty username', { username: '', password: 'long enough' }, /username/],
    ['13 characters', { username: 'x'.repeat(13), password: 'long enough' }, /1 to 12 characters/],
    ['short password', { username: 'shorty', password: '1234567' }, /8 to 20 characters/],
    ['long password', { username: 'longy', password: 'x'.repeat(21) }, /8 to 20 characters/],
    ['control character', { username: 'a\nb', password: 'long enough' }, /control/],
    ['space at an end', { username: 'root ', password: 'long enough' }, /spaces at its ends/],
    ['only a space', { username: ' ', password: 'long enough' }, /spaces at its ends/],
    ['zero width', { username: 'ro\u200bot', password: 'long enough' }, /invisible/],
    ['other direction', { username: '\u202etoor', password: 'long enough' }, /invisible/],
    ['no object', [1], /body/],
  ])('refuses to create a user: %s', async (_, body, message) => {
    const before = await plane.database.kysely.selectFrom('users').select('id').execute()
    const answer = await plane.call('POST', '/api/user/', { as: root, body })
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(message)
    expect(await plane.database.kysely.selectFrom('users').select('id').execute()).toEqual(before)
  })

  test('twelve characters of two code units each count as twelve', async () => {
    const body = { username: '😀'.repeat(12), password: 'long enough' }
    expect((await plane.call('POST', '/api/user/', { as: root, body })).success).toBe(true)
  })

  test('an edit of the quota books the difference to the shown value', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const booked = await save({ id: user.id, quota: 600_000, quota_seen: 500 })
    expect(booked.data).toMatchObject({ quota: 600_500 })
    expect(await creditsOf(user.id)).toMatchObject([
      { amount: 1000 },
      { amount: 599_500, actor_id: root.id },
    ])
    expect(await notesOf(user.id)).toMatchObject([
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
    expect((await creditsOf(user.id)).map(({ amount }) => amount)).toEqual([1000, 500])
    expect(await notesOf(user.id)).toHaveLength(1)
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
    expect((await creditsOf(user.id)).map(({ amount }) => amount)).toEqual([1000, -1000])
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
    expect((await creditsOf(user.id)).map(({ amount }) => amount)).toEqual([1000])
  })

  test('a note shows money in either language, for any editor', async () => {
    const user = await plane.addPerson(ROLE.user, 500_000)
    const headers = { 'accept-language': 'zh-CN,zh;q=0.9' }
    const body = { id: user.id, quota: 1_000_000 }
    await plane.call('PUT', '/api/user/', { as: root, body, headers })
    expect(await notesOf(user.id)).toMatchObject([
      {
        content: 'An administrator changed the quota from $1.000000 to $2.000000',
        content_zh: '管理员将用户额度从 ＄1.000000 额度修改为 ＄2.000000 额度',
      },
    ])
  })

  test('a quota below 0 or above the maximum is refused, with the rest of the edit', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const edits = [
      { quota: -1 },
      { quota: QUOTA_MAX + 1 },
      { quota: 0.5 },
      { quota: '5' },
      { quota: 0, quota_seen: 5000 },
      { quota: QUOTA_MAX, quota_seen: 0 },
    ]
    for (const edit of edits) {
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
    expect((await save({ id: user.id, group: ' vip, default,vip' })).data).toMatchObject({
      group: 'vip,default',
    })
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
    for (const url of ['/api/user/?size=100', '/api/user/search?keyword=deleted_']) {
      const { data } = await plane.call('GET', url, { as: root })
      expect(JSON.stringify(data)).not.toContain('deleted_')
    }
    const gone = [
      await plane.call('GET', `/api/user/${user.id}`, { as: root }),
      await plane.call('DELETE', `/api/user/${user.id}`, { as: root }),
      await save({ id: user.id, quota: 5 }),
    ]
    for (const { message } of gone) expect(message).toBe('There is no such user.')
  })

  test('the list is sorted, counted and paged from 0', async () => {
    const poor = await plane.addPerson(ROLE.user, 1)
    const rich = await plane.addPerson(ROLE.user, QUOTA_MAX)
    const first = await plane.call('GET', '/api/user/?sort=quota&order=desc&size=1', { as: root })
    expect(first.data).toMatchObject([{ id: rich.id }])
    const newest = await plane.call('GET', '/api/user/?size=2', { as: root })
    expect(newest.data).toMatchObject([{ id: rich.id }, { id: poor.id }])
    const second = await plane.call('GET', '/api/user/?size=1&p=1', { as: root })
    expect(second.data).toMatchObject([{ id: poor.id }])
    const before = await plane.call('GET', `/api/user/?size=1&before=${poor.id}`, { as: root })
    expect(idsOf(before)[0]).toBeLessThan(poor.id)
    const all = await plane.call('GET', '/api/user/?size=100', { as: root })
    expect(all.headers['x-total-count']).toBe(String(idsOf(all).length))
    const beyond = await plane.call('GET', '/api/user/?p=900', { as: root })
    expect(beyond.data).toEqual([])
    expect(beyond.headers['x-total-count']).toBe(all.headers['x-total-count'])
  })

  test('invalid values in a list query count as the default', async () => {
    const queries = [
      'p=-1',
      'p=x',
      'p=1e999',
      'size=0',
      'size=NaN',
      'sort=password_hash',
      'order=up',
    ]
    const usual = await plane.call('GET', '/api/user/', { as: root })
    for (const query of [...queries, 'before=x', 'p=1&p=2', '__proto__=1']) {
      const answer = await plane.call('GET', `/api/user/?${query}`, { as: root })
      expect(answer.text, query).toBe(usual.text)
    }
    const deep = await plane.call('GET', '/api/user/?p=999999&size=100', { as: root })
    expect([deep.status, deep.success]).toEqual([200, false])
  })
})
