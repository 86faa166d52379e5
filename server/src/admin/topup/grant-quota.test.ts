import { afterEach, expect, test } from 'vitest'
import { QUOTA_MAX, ROLE } from '@tollgate/contract'
import { accessTokenOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { creditsOf, notesOf, readUser, setRow } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'

describePlanes('granting quota on %s', ['root', 'admin'], ({ plane, root, admin }) => {
  afterEach(async () => {
    expect(await audit(plane.database)).toEqual([])
  })

  const grant = (body: object, as = admin, language = 'en') =>
    plane.call('POST', '/api/topup', { as, body, headers: { 'accept-language': language } })

  const quotaOf = async (id: number) => (await readUser(plane, id)).quota

  test('a shop adds quota with an access token, and the user finds it in the log', async () => {
    const user = await plane.addPerson(ROLE.user, 5)
    const headers = { authorization: accessTokenOf(admin) }
    const body = { user_id: user.id, quota: 500_000, remark: 'order 7' }
    const answer = await plane.call('POST', '/api/topup', { headers, body })
    expect([answer.success, answer.data]).toEqual([true, { quota: 500_000, repeated: false }])
    await grant({ user_id: user.id, quota: 500_000 }, admin, 'zh')
    expect(await quotaOf(user.id)).toBe(1_000_005)
    const row = { type: 1, quota: 500_000, username: user.username }
    const content_zh = '通过 API 充值 ＄1.000000 额度'
    expect(await notesOf(plane, user.id)).toMatchObject([
      { ...row, content: 'order 7', content_zh: '' },
      { ...row, content: 'Topped up by API: $1.000000', content_zh },
    ])
    const credit = { amount: 500_000, actor_id: admin.id, source: expect.stringMatching(/^topup:/) }
    expect(await creditsOf(plane, user.id)).toMatchObject([
      { amount: 5 },
      { ...credit, reason: 'order 7' },
      { ...credit, reason: 'top-up by an administrator' },
    ])
  })

  test('without a transaction id each call adds', async () => {
    const user = await plane.addPerson()
    await Promise.all(Array.from({ length: 10 }, () => grant({ user_id: user.id, quota: 3 })))
    expect(await quotaOf(user.id)).toBe(30)
  })

  test('a transaction id adds once, whatever the number of concurrent calls', async () => {
    const user = await plane.addPerson()
    const body = { user_id: user.id, quota: 9, transaction_id: `order-${user.id}` }
    const answers = await Promise.all(Array.from({ length: 20 }, () => grant(body)))
    expect(answers.every(({ success }) => success)).toBe(true)
    const fresh = answers.filter(({ data }) => JSON.stringify(data).includes('false'))
    expect(fresh).toHaveLength(1)
    expect((await grant(body, root)).data).toEqual({ quota: 9, repeated: true })
    expect(await quotaOf(user.id)).toBe(9)
    expect(await notesOf(plane, user.id)).toHaveLength(1)
  })

  test('a transaction id of another user or amount is refused', async () => {
    const [user, other] = [await plane.addPerson(), await plane.addPerson()]
    const body = { user_id: user.id, quota: 9, transaction_id: `differs-${user.id}` }
    await grant(body)
    for (const change of [{ user_id: other.id }, { quota: 8 }]) {
      const { status, success, message } = await grant({ ...body, ...change })
      expect([status, success]).toEqual([200, false])
      expect(message).toContain(`differs-${user.id}`)
    }
    expect([await quotaOf(user.id), await quotaOf(other.id)]).toEqual([9, 0])
    expect(await notesOf(plane, other.id)).toEqual([])
  })

  test('one transaction id for two users concurrently adds to one of them', async () => {
    const users = [await plane.addPerson(), await plane.addPerson()]
    const transaction_id = `both-${users[0]?.id}`
    const answers = await Promise.all(
      users.map(({ id }) => grant({ user_id: id, quota: 4, transaction_id })),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    const quotas = await Promise.all(users.map(({ id }) => quotaOf(id)))
    expect([Math.min(...quotas), Math.max(...quotas)]).toEqual([0, 4])
  })

  test('it is not a redemption: inviters earn nothing', async () => {
    const [user, inviter] = [await plane.addPerson(), await plane.addPerson()]
    await setRow(plane, 'users', user.id, { inviter_id: inviter.id })
    await grant({ user_id: user.id, quota: 500_000_000 })
    expect(await notesOf(plane, inviter.id)).toEqual([])
  })

  test('an unknown user, or an amount beyond the maximum balance, is refused in both languages', async () => {
    const user = await plane.addPerson(ROLE.user, QUOTA_MAX)
    expect((await grant({ user_id: 999_999, quota: 1 }, admin, 'zh')).message).toBe('用户不存在。')
    await plane.call('DELETE', `/api/user/${user.id}`, { as: root })
    expect((await grant({ user_id: user.id, quota: 1 })).message).toBe('There is no such user.')
    const full = await plane.addPerson(ROLE.user, QUOTA_MAX)
    const transaction_id = 'too much'
    const refused = await grant({ user_id: full.id, quota: 1, transaction_id })
    expect(refused.message).toContain(String(QUOTA_MAX))
    expect(await notesOf(plane, full.id)).toEqual([])
  })

  test.each([
    ['user_id', { user_id: 0, quota: 1 }],
    ['quota', { user_id: 1, quota: 0 }],
    ['quota', { user_id: 1, quota: -1 }],
    ['quota', { user_id: 1, quota: QUOTA_MAX + 1 }],
    ['remark', { user_id: 1, quota: 1, remark: 'x'.repeat(201) }],
    ['transaction_id', { user_id: 1, quota: 1, transaction_id: '' }],
    ['transaction_id', { user_id: 1, quota: 1, transaction_id: 'x'.repeat(101) }],
  ])('a wrong %s is named: %j', async (field, body) => {
    expect((await grant(body, root)).message).toContain(`"${field}"`)
    expect(await quotaOf(root.id)).toBe(0)
  })
})
