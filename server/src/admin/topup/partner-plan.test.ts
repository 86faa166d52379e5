import { afterEach, expect, test } from 'vitest'
import { partnerPlanSchema, ROLE } from '@tollgate/contract'
import type { Answer, Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { notesOf, readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'

describePlanes('the partner plan on %s', ['root'], ({ plane, root }) => {
  afterEach(async () => {
    expect(await audit(plane.database)).toEqual([])
  })

  const planOf = async (as: Person) => {
    const { data } = await plane.call('GET', '/api/user/partner_plan_info', { as })
    return partnerPlanSchema.parse(data)
  }

  const change = (id: number, columns: Parameters<typeof setRow<'users'>>[3]) =>
    setRow(plane, 'users', id, columns)

  const earn = (userId: number, amount: number) => {
    const entry = { userId, amount, reason: 'test', source: `earned:${userId}`, actorId: 0 }
    return plane.database.transaction((tx) => plane.ledger.earn(tx, entry))
  }

  const payOut = (body: object, { as = root, language = 'en' } = {}) => {
    const headers = { 'accept-language': language }
    return plane.call('POST', '/api/partner/payout', { as, body, headers })
  }

  test('the gift code is the end of the invite code; earnings are in fen', async () => {
    const user = await plane.addPerson(ROLE.user, 500)
    await earn(user.id, 1234)
    const plan = await planOf(user)
    expect(plan).toEqual({
      aff_code: plan.aff_code,
      gift_code: plan.aff_code.slice(-5),
      invite_balance: 1234,
    })
    expect(plan.aff_code).toMatch(/^[0-9A-Za-z]{8}$/)
    expect(await planOf(user)).toEqual(plan)
  })

  test('an old account without a complete code gets one, the same for all calls', async () => {
    for (const old of [{ gift_code: null }, { aff_code: '', gift_code: null }]) {
      const user = await plane.addPerson()
      await change(user.id, old)
      const plans = await Promise.all(Array.from({ length: 5 }, () => planOf(user)))
      const [first] = plans
      expect(plans).toEqual(plans.map(() => first))
      expect((await plane.call('GET', '/api/user/aff', { as: user })).data).toBe(first?.aff_code)
      expect(first?.aff_code).toMatch(/^[0-9A-Za-z]{8}$/)
      expect(first?.gift_code).toBe(first?.aff_code.slice(-5))
      expect(await planOf(user)).toEqual(first)
    }
  })

  test('friends are listed newest first, by page from 1, without closed accounts', async () => {
    const [user, stranger] = [await plane.addPerson(), await plane.addPerson()]
    const friends: Person[] = []
    for (let count = 0; count < 13; count++) {
      const friend = await plane.addPerson()
      friends.unshift(friend)
      await change(friend.id, { inviter_id: user.id })
    }
    const [closed, banned, ...rest] = friends
    if (!closed || !banned) throw new Error('there are no friends')
    await plane.call('DELETE', `/api/user/${closed.id}`, { as: root })
    await change(banned.id, { status: 2 })
    const names = [banned, ...rest].map(({ username }) => username)
    const page = (query: string, as = user) =>
      plane.call('GET', `/api/user/friends${query}`, { as })
    const friendsOf = (...shown: string[]) =>
      shown.map((username) => ({ username, invited_time: expect.any(Number) }))
    const first = await page('')
    expect(first).toMatchObject({ total: 12, page: 1, size: 10 })
    expect(first.data).toEqual(friendsOf(...names.slice(0, 10)))
    expect((await page('?page=2&size=10')).data).toEqual(friendsOf(...names.slice(10)))
    expect(await page('?page=3')).toMatchObject({ data: [], total: 12, page: 3 })
    expect((await page('?page=4&size=3')).data).toEqual(friendsOf(...names.slice(9)))
    expect(await page('?page=0&size=-1')).toMatchObject({ page: 1, size: 10 })
    expect(await page('?page=x&size=1e9')).toMatchObject({ page: 1, size: 100 })
    expect(await page('', stranger)).toMatchObject({ data: [], total: 0 })
    expect((await page('')).text).not.toContain('"id"')
  })

  test('root records a payout; it reduces the balance once and adds a row for the user', async () => {
    const user = await plane.addPerson(ROLE.user, 77)
    await earn(user.id, 30_000)
    const body = { user_id: user.id, amount: 12_345, note: 'bank transfer', payout_id: 'may' }
    const answers = await Promise.all([payOut(body), payOut(body), payOut(body)])
    expect(answers.map(({ data }) => data)).toContainEqual({
      invite_balance: 17_655,
      repeated: false,
    })
    const repeated = { invite_balance: 17_655, repeated: true }
    const isRepeat = ({ data }: Answer) => JSON.stringify(data) === JSON.stringify(repeated)
    expect(answers.filter(isRepeat)).toHaveLength(2)
    expect((await planOf(user)).invite_balance).toBe(17_655)
    await payOut({ user_id: user.id, amount: 10_055 }, { language: 'zh' })
    const [first, second] = ['¥123.45', '¥100.55']
    const note = { type: 3, quota: 0 }
    expect(await notesOf(plane, user.id)).toMatchObject([
      {
        ...note,
        content: `Earnings paid out: ${first} (bank transfer)`,
        content_zh: `推广收益已结算 ${first}（bank transfer）`,
      },
      {
        ...note,
        content: `Earnings paid out: ${second}`,
        content_zh: `推广收益已结算 ${second}`,
      },
    ])
    expect((await readUser(plane, user.id)).quota).toBe(77)
    const entry = { actor_id: root.id, source: expect.stringMatching(/^payout:/) }
    expect(await storedRows(plane, 'partner_entries', { user_id: user.id })).toMatchObject([
      { amount: 30_000 },
      { ...entry, amount: -12_345, reason: 'bank transfer' },
      { ...entry, amount: -10_055, reason: '' },
    ])
  })

  test('no more is paid out than was earned, also by concurrent payouts', async () => {
    const user = await plane.addPerson()
    await earn(user.id, 30_000)
    const refused = await payOut({ user_id: user.id, amount: 30_001 })
    expect([refused.status, refused.success]).toEqual([200, false])
    expect(refused.message).toContain('30000 fen')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => payOut({ user_id: user.id, amount: 12_000 })),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(2)
    expect((await planOf(user)).invite_balance).toBe(6000)
    expect(await notesOf(plane, user.id)).toHaveLength(2)
  })

  test('a payout id of another user or amount is refused', async () => {
    const [user, other] = [await plane.addPerson(), await plane.addPerson()]
    await earn(user.id, 30_000)
    await earn(other.id, 30_000)
    const body = { user_id: user.id, amount: 10_000, payout_id: `p${user.id}` }
    await payOut(body)
    for (const different of [{ user_id: other.id }, { amount: 10_001 }]) {
      const { message } = await payOut({ ...body, ...different })
      expect(message).toContain(`p${user.id}`)
    }
    expect((await planOf(user)).invite_balance).toBe(20_000)
    expect((await planOf(other)).invite_balance).toBe(30_000)
  })

  test('payouts below ¥100 are refused', async () => {
    const user = await plane.addPerson()
    await earn(user.id, 30_000)
    const less = { user_id: user.id, amount: 9999 }
    expect((await payOut(less)).message).toMatch(/"amount".*10000/)
    expect((await payOut(less, { language: 'zh' })).message).toMatch(/“amount”.*10000/)
    expect((await planOf(user)).invite_balance).toBe(30_000)
    expect((await payOut({ ...less, amount: 10_000 })).success).toBe(true)
  })

  test('payouts are only for existing users', async () => {
    const user = await plane.addPerson()
    const nobody = { user_id: 999_999, amount: 10_000 }
    expect((await payOut(nobody, { language: 'zh' })).message).toBe('用户不存在。')
    await plane.call('DELETE', `/api/user/${user.id}`, { as: root })
    const { message } = await payOut({ ...nobody, user_id: user.id })
    expect(message).toBe('There is no such user.')
  })

  test.each([
    ['user_id', { user_id: -1, amount: 10_000 }],
    ['amount', { user_id: 1, amount: 0 }],
    ['amount', { user_id: 1, amount: -5 }],
    ['amount', { user_id: 1, amount: 1e15 }],
    ['note', { user_id: 1, amount: 10_000, note: 'x'.repeat(201) }],
    ['payout_id', { user_id: 1, amount: 10_000, payout_id: ' ' }],
    ['payout_id', { user_id: 1, amount: 10_000, payout_id: 'x'.repeat(101) }],
  ])('a wrong %s is named: %j', async (field, body) => {
    expect((await payOut(body)).message).toContain(`"${field}"`)
  })
})
