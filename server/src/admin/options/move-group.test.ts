import { expect, test } from 'vitest'
import { errorText, ROLE } from '@tollgate/contract'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'

describePlanes('moving a group on %s', ['admin'], ({ plane, admin }) => {
  const setOption = (key: string, value: object) =>
    plane.call('PUT', '/api/option/', { as: admin, body: { key, value: JSON.stringify(value) } })
  const move = (from: string, to: string) =>
    plane.call('POST', '/api/option/group/move', { as: admin, body: { from, to } })
  const groupOf = async (table: 'users' | 'channels', id: number) =>
    (await storedRows(plane, table, { id }))[0]?.group
  const setUp = async () => {
    await setOption('GroupRatio', { default: 1, premium: 5, vip: 2 })
    await setOption('GroupRequestsPerMinute', { premium: 7 })
    const [one, two] = [await plane.addPerson(ROLE.user), await plane.addPerson(ROLE.user)]
    await setRow(plane, 'users', one.id, { group: 'premium' })
    await setRow(plane, 'users', two.id, { group: 'vip,premium' })
    const channel = await plane.addChannel(admin, { models: 'gpt-6-sol', group: 'default,premium' })
    return { one: one.id, two: two.id, channel }
  }
  const abilities = async (channel_id: number) =>
    (await storedRows(plane, 'abilities', { channel_id })).map(({ group }) => group).toSorted()

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
