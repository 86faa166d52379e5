import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { QUOTA_MAX, REDEMPTION_STATUS } from '@tollgate/contract'
import type { Answer, Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { notesOf, readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'

const NO_GIFT = 'There is no such gift code.'

describePlanes('redeeming on %s', [], ({ plane }) => {
  afterEach(async () => {
    expect(await audit(plane.database)).toEqual([])
  })

  async function makeCode(
    quota: number,
    status: number = REDEMPTION_STATUS.enabled,
    key = randomUUID().replaceAll('-', ''),
  ) {
    const row = { user_id: 1, key, status, name: 'test', quota, created_time: 1 }
    const { kysely } = plane.database
    const added = kysely.insertInto('redemptions').values(row).returning('id')
    return { ...(await added.executeTakeFirstOrThrow()), key }
  }

  const redeem = (as: Person, body: object, language = 'en') =>
    plane.call('POST', '/api/user/topup', { as, body, headers: { 'accept-language': language } })

  const rowOf = (id: number) => readUser(plane, id)

  const statusOf = async (id: number) => (await storedRows(plane, 'redemptions', { id }))[0]?.status

  const change = (id: number, columns: Parameters<typeof setRow<'users'>>[3]) =>
    setRow(plane, 'users', id, columns)

  const giftCodeOf = async (person: Person) => (await rowOf(person.id)).gift_code ?? ''

  test.each([
    ['capitals', (key: string) => key.toUpperCase()],
    ['dashes', (key: string) => key.replaceAll(/.{8}(?=.)/g, '$&-')],
    ['invisible characters', (key: string) => `\u200b${key.slice(0, 9)}\ufeff${key.slice(9)}`],
  ])('a code with %s is taken once', async (_, distorted) => {
    const user = await plane.addPerson(1, 0)
    const { key } = await makeCode(700)
    expect((await redeem(user, { key: distorted(key) })).data).toBe(700)
    expect((await redeem(user, { key: distorted(key) })).success).toBe(false)
    expect(await rowOf(user.id)).toMatchObject({ quota: 700 })
  })

  test('an imported code that has capitals and dashes is taken as it is', async () => {
    const user = await plane.addPerson(1, 0)
    const { key } = await makeCode(700, undefined, randomUUID().toUpperCase())
    expect((await redeem(user, { key })).data).toBe(700)
  })

  test('a code adds its quota once, recorded in books and log', async () => {
    const user = await plane.addPerson(1, 50)
    const { id, key } = await makeCode(500_000)
    const answer = await redeem(user, { key: ` ${key} ` })
    expect([answer.success, answer.data]).toEqual([true, 500_000])
    expect(await rowOf(user.id)).toMatchObject({ quota: 500_050 })
    expect(await notesOf(plane, user.id)).toMatchObject([
      {
        type: 1,
        quota: 500_000,
        content: `Redeemed the code ${key.slice(0, 4)}…${key.slice(-4)} (#${id}): $1.000000`,
        username: user.username,
      },
    ])
    const [credit] = await storedRows(plane, 'credits', { source: `redemption:${id}` })
    expect(credit).toMatchObject({ owner_id: user.id, amount: 500_000, actor_id: user.id })
    const message = 'You have redeemed this code already.'
    expect(await redeem(user, { key })).toMatchObject({ status: 200, success: false, message })
    expect(await rowOf(user.id)).toMatchObject({ quota: 500_050 })
  })

  test('the log row is shown in either language, for any user', async () => {
    const user = await plane.addPerson()
    const { id, key } = await makeCode(500_000, undefined, 'SUMMER26')
    await redeem(user, { key, gift_code: null }, 'zh')
    const content = `Redeemed the code SU…26 (#${id}): $1.000000`
    const content_zh = `通过兑换码 SU…26（#${id}）充值 ＄1.000000 额度`
    expect(await notesOf(plane, user.id)).toMatchObject([{ content, content_zh }])
  })

  test('unknown, disabled and used codes have the same answer', async () => {
    const [user, other] = [await plane.addPerson(), await plane.addPerson()]
    const disabled = await makeCode(10, REDEMPTION_STATUS.disabled)
    const used = await makeCode(10)
    await redeem(other, used)
    for (const key of ['f'.repeat(32), disabled.key, used.key, used.key.toUpperCase()]) {
      const message = 'This code does not exist, is disabled, has expired or has been used.'
      expect(await redeem(user, { key })).toMatchObject({ status: 200, success: false, message })
    }
    expect(await rowOf(user.id)).toMatchObject({ quota: 0 })
    expect(await statusOf(disabled.id)).toBe(REDEMPTION_STATUS.disabled)
  })

  test.each([
    ['key', { key: '  ' }],
    ['key', { key: 'x'.repeat(101) }],
    ['gift_code', { key: 'x', gift_code: 'x'.repeat(21) }],
  ])('a wrong %s is named: %j', async (field, body) => {
    expect((await redeem(await plane.addPerson(), body)).message).toContain(`"${field}"`)
  })

  test('a gift code adds 5 % to both sides, rounded down, each with its row', async () => {
    const [user, owner] = [await plane.addPerson(), await plane.addPerson(1, 7)]
    const { key } = await makeCode(100_019)
    const answer = await redeem(user, { key, gift_code: await giftCodeOf(owner) })
    expect(answer.data).toBe(105_019)
    expect(await rowOf(user.id)).toMatchObject({ quota: 105_019 })
    expect(await rowOf(owner.id)).toMatchObject({ quota: 5007, invite_balance: 0 })
    expect(await notesOf(plane, user.id)).toMatchObject([
      { type: 1, quota: 100_019 },
      { type: 1, quota: 5000, content: 'Bonus for using a gift code: $0.010000' },
    ])
    expect(await notesOf(plane, owner.id)).toMatchObject([
      { type: 1, quota: 5000, content: 'Bonus for the use of your gift code: $0.010000' },
    ])
  })

  describe('with rules for gifts', () => {
    const DAY_MS = 24 * 3600 * 1000

    afterEach(async () => {
      await plane.setOption('GiftAccountAgeDays', '0')
      await plane.setOption('GiftRequiresPaidHistory', 'false')
    })

    const born = (person: Person, daysAgo: number) =>
      change(person.id, { created_time: Math.floor((plane.clock.now - daysAgo * DAY_MS) / 1000) })

    test.each([
      [7, 7, true],
      [6, 30, false],
      [30, 6, false],
    ])('accounts of %d and %d days: a week is enough: %s', async (own, owners, success) => {
      const [user, owner] = [await plane.addPerson(), await plane.addPerson()]
      await plane.setOption('GiftAccountAgeDays', '7')
      await born(user, own)
      await born(owner, owners)
      const code = await makeCode(1000)
      const answer = await redeem(user, { key: code.key, gift_code: await giftCodeOf(owner) })
      expect(answer.success).toBe(success)
      expect((await rowOf(owner.id)).quota).toBe(success ? 50 : 0)
      if (success) return
      expect(answer.message).toContain('7 days')
      expect(await statusOf(code.id)).toBe(REDEMPTION_STATUS.enabled)
    })

    test('a gift code of a user without top-ups gives nothing', async () => {
      const [user, owner] = [await plane.addPerson(), await plane.addPerson(1, 7)]
      await plane.setOption('GiftRequiresPaidHistory', 'true')
      const code = await makeCode(1000)
      const withGift = async () =>
        redeem(user, { key: code.key, gift_code: await giftCodeOf(owner) })
      expect((await withGift()).message).toContain('topped up')
      expect((await rowOf(user.id)).quota).toBe(0)
      await redeem(owner, await makeCode(100))
      expect((await withGift()).data).toBe(1050)
      expect((await rowOf(owner.id)).quota).toBe(157)
    })
  })

  test('a code too small for a bonus is redeemed without one', async () => {
    const [user, owner] = [await plane.addPerson(), await plane.addPerson()]
    const { key } = await makeCode(19)
    expect((await redeem(user, { key, gift_code: await giftCodeOf(owner) })).data).toBe(19)
    expect(await notesOf(plane, owner.id)).toEqual([])
  })

  test('an invalid gift code leaves the redemption code unused', async () => {
    const [user, owner] = [await plane.addPerson(), await plane.addPerson()]
    const code = await makeCode(1000)
    const own = await giftCodeOf(user)
    const ownersCode = await giftCodeOf(owner)
    const attempt = async (gift_code: string, key = code.key) =>
      (await redeem(user, { key, gift_code })).message
    expect(await attempt('nope!')).toBe(NO_GIFT)
    expect(await attempt(ownersCode.slice(1))).toBe(NO_GIFT)
    expect(await attempt(own)).toBe('You cannot use your own gift code.')
    expect(await attempt('nope!', 'no such code')).toBe(NO_GIFT)
    await change(owner.id, { status: 2 })
    expect(await attempt(ownersCode)).toBe(NO_GIFT)
    expect(await attempt(ownersCode, 'no such code')).toBe(NO_GIFT)
    expect(await statusOf(code.id)).toBe(REDEMPTION_STATUS.enabled)
    expect(await rowOf(user.id)).toMatchObject({ quota: 0 })
    expect((await redeem(user, code)).success).toBe(true)
  })

  test.each([
    [100_000, 0],
    [199_999, 0],
    [200_000, 1],
    [50_000_000, 250],
  ])('for a code of %d the inviter earns %d fen, once', async (quota, fen) => {
    const [user, inviter] = [await plane.addPerson(), await plane.addPerson()]
    await change(user.id, { inviter_id: inviter.id })
    const code = await makeCode(quota)
    await redeem(user, code)
    await redeem(user, code)
    expect(await rowOf(inviter.id)).toMatchObject({ invite_balance: fen, quota: 0 })
    const yuan = (fen / 100).toFixed(2)
    const rows = [{ type: 4, quota: 0, content: `Cash-back for a friend's top-up: ¥${yuan}` }]
    expect(await notesOf(plane, inviter.id)).toMatchObject(fen === 0 ? [] : rows)
    const entries = await storedRows(plane, 'partner_entries', { user_id: inviter.id })
    const entry = { amount: fen, source: `redemption:${code.id}`, actor_id: user.id }
    expect(entries).toMatchObject(fen === 0 ? [] : [entry])
  })

  test('a user whose gift code and invitation match gets the bonus and the cash-back', async () => {
    const [user, inviter] = [await plane.addPerson(), await plane.addPerson()]
    await change(user.id, { inviter_id: inviter.id })
    const { key } = await makeCode(399_999)
    await redeem(user, { key, gift_code: await giftCodeOf(inviter) })
    expect(await rowOf(inviter.id)).toMatchObject({ quota: 19_999, invite_balance: 1 })
  })

  test('a banned or deleted inviter earns nothing', async () => {
    for (const status of [2, 3]) {
      const [user, inviter] = [await plane.addPerson(), await plane.addPerson()]
      await change(user.id, { inviter_id: inviter.id })
      await change(inviter.id, { status })
      expect((await redeem(user, await makeCode(500_000))).success).toBe(true)
      expect(await rowOf(inviter.id)).toMatchObject({ invite_balance: 0 })
    }
  })

  test('an inviter with a full balance does not block redemptions', async () => {
    const [user, inviter] = [await plane.addPerson(), await plane.addPerson()]
    await change(user.id, { inviter_id: inviter.id })
    await plane.setOption('QuotaPerUnit', '0.01')
    const [largest, small] = [await makeCode(QUOTA_MAX - 1), await makeCode(1)]
    expect((await redeem(user, largest)).data).toBe(QUOTA_MAX - 1)
    expect(await rowOf(inviter.id)).toMatchObject({ invite_balance: 0 })
    expect(await notesOf(plane, inviter.id)).toEqual([])
    expect((await redeem(user, small)).data).toBe(1)
    expect(await rowOf(inviter.id)).toMatchObject({ invite_balance: 250 })
    await plane.setOption('QuotaPerUnit', '500000')
  })

  test('a redemption beyond the maximum balance is refused completely', async () => {
    const [rich, owner] = [await plane.addPerson(1, QUOTA_MAX - 100), await plane.addPerson()]
    const gift_code = await giftCodeOf(owner)
    const code = await makeCode(100)
    expect((await redeem(rich, { ...code, gift_code })).message).toContain(String(QUOTA_MAX))
    expect(await statusOf(code.id)).toBe(REDEMPTION_STATUS.enabled)
    expect(await rowOf(rich.id)).toMatchObject({ quota: QUOTA_MAX - 100 })
    expect(await rowOf(owner.id)).toMatchObject({ quota: 0 })
    expect(await notesOf(plane, rich.id)).toEqual([])
    expect((await redeem(rich, code)).data).toBe(100)
  })

  test('one of a hundred concurrent users gets the code', async () => {
    const users: Person[] = []
    for (let count = 0; count < 20; count++) users.push(await plane.addPerson())
    const { key } = await makeCode(1000)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => users.map((user) => redeem(user, { key }))).flat(),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    const rows = await Promise.all(users.map(({ id }) => rowOf(id)))
    const quotas = rows.map(({ quota }) => quota).toSorted((a, b) => b - a)
    expect(quotas).toEqual([1000, ...Array<number>(19).fill(0)])
  })

  test('one of a hundred concurrent attempts of one user gets the code', async () => {
    const user = await plane.addPerson()
    const { key } = await makeCode(1000)
    const answers = await Promise.all(Array.from({ length: 100 }, () => redeem(user, { key })))
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    expect(await rowOf(user.id)).toMatchObject({ quota: 1000 })
  })

  test("users who redeem with each other's gift codes never deadlock", async () => {
    const people: Person[] = []
    for (let count = 0; count < 6; count++) people.push(await plane.addPerson())
    const gifts = await Promise.all(people.map(giftCodeOf))
    for (const [index, { id }] of people.entries()) {
      await change(id, { inviter_id: people[(index + 2) % 6]?.id ?? 0 })
    }
    const asked = Array.from({ length: 60 }, async (_, index) => {
      const person = people[index % 6]
      if (!person) throw new Error('nobody')
      const gift_code = gifts[(index + 1 + (Math.trunc(index / 6) % 5)) % 6]
      return redeem(person, { ...(await makeCode(1_000_000)), gift_code })
    })
    const answers = await Promise.all(asked)
    expect(answers.map(({ data }) => data)).toEqual(answers.map(() => 1_050_000))
    const rows = await Promise.all(people.map(({ id }) => rowOf(id)))
    expect(rows.reduce((sum, { quota }) => sum + quota, 0)).toBe(60 * 1_100_000)
    expect(rows.reduce((sum, row) => sum + row.invite_balance, 0)).toBe(60 * 5)
  })

  test('after twenty wrong guesses an account has to wait, and only that one', async () => {
    const [guesser, other] = [await plane.addPerson(), await plane.addPerson()]
    const { key } = await makeCode(10)
    for (let count = 0; count < 10; count++) {
      await redeem(guesser, { key: `guess ${count}` })
      await redeem(guesser, { key, gift_code: `no${count}` })
    }
    const { status, success, headers } = await redeem(guesser, { key })
    expect([status, success, headers['retry-after']]).toEqual([429, false, '1200'])
    expect((await redeem(other, { key: 'x' })).status).toBe(200)
    plane.clock.now += 20 * 60 * 1000
    const later = { ...guesser, session: await plane.signIn(guesser.id) }
    expect((await redeem(later, { key })).success).toBe(true)
  })

  test('malformed codes do not count as guesses', async () => {
    const user = await plane.addPerson()
    const own = await makeCode(10)
    await redeem(user, own)
    const gift_code = await giftCodeOf(user)
    for (let count = 0; count < 30; count++) {
      expect((await redeem(user, own)).status).toBe(200)
      expect((await redeem(user, { ...own, gift_code })).status).toBe(200)
      expect((await redeem(user, await makeCode(1))).success).toBe(true)
    }
  })

  /** Redeems while a ban is being written. The ban commits before the redemption can continue. */
  async function redeemDuringBan(banned: Person, user: Person, body: object): Promise<Answer> {
    let redeeming: Promise<Answer> | undefined
    const outsider = await plane.addPerson()
    await plane.database.transaction(async (tx) => {
      await tx.updateTable('users').set({ status: 2 }).where('id', '=', banned.id).execute()
      redeeming = redeem(user, body)
      // Gives the redemption time to read its caller and wait for the ban's lock.
      for (let times = 0; times < 20; times++) {
        await plane.call('GET', '/api/user/self', { as: outsider })
      }
    })
    if (!redeeming) throw new Error('nothing was asked')
    return redeeming
  }

  test('a user banned meanwhile gets nothing, and the code stays unused', async () => {
    const [user, owner] = [await plane.addPerson(), await plane.addPerson()]
    const inviter = await plane.addPerson()
    await change(user.id, { inviter_id: inviter.id })
    const code = await makeCode(500_000)
    const gift_code = await giftCodeOf(owner)
    const withoutOwner = await redeemDuringBan(owner, user, { ...code, gift_code })
    expect(withoutOwner.message).toBe(NO_GIFT)
    expect((await redeemDuringBan(user, user, code)).message).toBe('This account is banned.')
    expect(await statusOf(code.id)).toBe(REDEMPTION_STATUS.enabled)
    await change(user.id, { status: 1 })
    expect((await redeemDuringBan(inviter, user, code)).success).toBe(true)
    expect(await rowOf(inviter.id)).toMatchObject({ invite_balance: 0 })
  })
})
