import { expect, test } from 'vitest'
import { errorText, ROLE } from '@tollgate/contract'
import { channelForm, idsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

describePlanes('moving a group on %s', ['admin'], ({ plane, admin }) => {
  const setOption = (key: string, value: object) =>
    plane.call('PUT', '/api/option/', { as: admin, body: { key, value: JSON.stringify(value) } })
  const move = (from: string, to: string) =>
    plane.call('POST', '/api/option/group/move', { as: admin, body: { from, to } })
  const groupOf = async (table: 'users' | 'channels', id: number) => {
    const row = await plane.database.kysely
      .selectFrom(table)
      .select('group')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return row.group
  }
  const setUp = async () => {
    await setOption('GroupRatio', { default: 1, premium: 5, vip: 2 })
    await setOption('GroupRequestsPerMinute', { premium: 7 })
    const [one, two] = [await plane.addPerson(ROLE.user), await plane.addPerson(ROLE.user)]
    const put = (id: number, group: string) =>
      plane.database.kysely.updateTable('users').set({ group }).where('id', '=', id).execute()
    await put(one.id, 'premium')
    await put(two.id, 'vip,premium')
    const created = await plane.call('POST', '/api/channel/', {
      as: admin,
      body: { ...channelForm, key: 'sk-1', models: 'gpt-6-sol', group: 'default,premium' },
    })
    return { one: one.id, two: two.id, channel: idsOf(created)[0] ?? 0 }
  }
  const abilities = async (id: number) => {
    const rows = await plane.database.kysely
      .selectFrom('abilities')
      .select('group')
      .where('channel_id', '=', id)
      .execute()
    return rows.map(({ group }) => group).toSorted()
  }

  test('a new name keeps the ratio and the limits, for users and channels', async () => {
    const { one, two, channel } = await setUp()
    expect(await move('premium', 'premium-2026')).toMatchObject({
      success: true,
      data: { users: 2, channels: 1 },
    })
    expect(plane.settings.current().GroupRatio).toEqual({ default: 1, vip: 2, 'premium-2026': 5 })
    expect(plane.settings.current().GroupRequestsPerMinute).toEqual({ 'premium-2026': 7 })
    expect(await groupOf('users', one)).toBe('premium-2026')
    expect(await groupOf('users', two)).toBe('vip,premium-2026')
    expect(await groupOf('channels', channel)).toBe('default,premium-2026')
    expect(await abilities(channel)).toEqual(['default', 'premium-2026'])
    expect(await move('premium-2026', 'vip')).toMatchObject({ success: true })
    await plane.call('DELETE', `/api/channel/${channel}`, { as: admin })
  })

  test('an existing group keeps its own ratio', async () => {
    const { one, two, channel } = await setUp()
    await move('premium', 'vip')
    expect(plane.settings.current().GroupRatio).toEqual({ default: 1, vip: 2 })
    expect(await groupOf('users', one)).toBe('vip')
    expect(await groupOf('users', two)).toBe('vip')
    expect(await abilities(channel)).toEqual(['default', 'vip'])
    await plane.call('DELETE', `/api/channel/${channel}`, { as: admin })
  })

  test('nothing moves if the group is unknown, needed, or the same', async () => {
    const { one } = await setUp()
    const unknown = { group: 'none', known: 'default, premium, vip' }
    expect(await move('none', 'vip')).toMatchObject({
      message: errorText('group_unknown', unknown, 'en'),
    })
    expect((await move('default', 'vip')).success).toBe(false)
    expect((await move('premium', 'premium')).success).toBe(false)
    expect((await move('premium', 'a,b')).success).toBe(false)
    expect(await groupOf('users', one)).toBe('premium')
  })
})
