import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openAuditedWorld } from '../../../testing/ledger/batch-world.ts'
import type { Earning } from '../ledger.ts'

describe.each(DATABASES)('on %s', (kind) => {
  const world = openAuditedWorld(kind)

  const entry = (userId: number, amount: number, source = `test:${userId}:${amount}`): Earning => ({
    userId,
    amount,
    reason: 'a reason',
    source,
    actorId: 7,
  })

  const earn = (userId: number, amount: number, source?: string) =>
    world.database.transaction((tx) => world.ledger.earn(tx, entry(userId, amount, source)))

  const payOut = (userId: number, amount: number, source?: string) =>
    world.database.transaction((tx) => world.ledger.payOut(tx, entry(userId, amount, source)))

  const entriesOf = (userId: number) =>
    world.database.kysely
      .selectFrom('partner_entries')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute()

  test('earnings and payouts are rows, and their sum is the balance; quota is untouched', async () => {
    const userId = await world.addUser(100)
    expect(await earn(userId, 250)).toEqual({ type: 'booked', balance: 250 })
    expect(await payOut(userId, 249)).toEqual({ type: 'booked', balance: 1 })
    expect(await world.user(userId)).toMatchObject({ invite_balance: 1, quota: 100 })
    expect(await entriesOf(userId)).toMatchObject([
      { amount: 250, reason: 'a reason', actor_id: 7 },
      { amount: -249, source: `test:${userId}:249` },
    ])
  })

  test('concurrent payouts never take the same earnings', async () => {
    const userId = await world.addUser(0)
    await earn(userId, 100)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => payOut(userId, 30, `many:${userId}:${index}`)),
    )
    expect(outcomes.filter(({ type }) => type === 'booked')).toHaveLength(3)
    expect(outcomes).toContainEqual({ type: 'out_of_range', balance: 10 })
    expect(await world.user(userId)).toMatchObject({ invite_balance: 10 })
  })

  test('the same source is booked once, and another movement with that source is detected', async () => {
    const [first, second] = [await world.addUser(0), await world.addUser(0)]
    const source = `friend:${first}`
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => earn(first, 5, source)))
    expect(outcomes.filter(({ type }) => type === 'booked')).toHaveLength(1)
    expect(outcomes).toContainEqual({ type: 'repeated', balance: 5, isSame: true })
    expect(await earn(first, 6, source)).toEqual({ type: 'repeated', balance: 5, isSame: false })
    expect(await payOut(first, 5, source)).toMatchObject({ type: 'repeated', isSame: false })
    expect(await earn(second, 5, source)).toEqual({ type: 'repeated', balance: 0, isSame: false })
    expect(await entriesOf(second)).toEqual([])
  })

  test('a payout that emptied the balance may be repeated', async () => {
    const userId = await world.addUser(0)
    await earn(userId, 30, `earned:${userId}`)
    await payOut(userId, 30)
    expect(await payOut(userId, 30)).toEqual({ type: 'repeated', balance: 0, isSame: true })
  })

  test('one source at once for two users is booked for one of them', async () => {
    const [first, second] = [await world.addUser(0), await world.addUser(0)]
    const source = `shared:${first}`
    const outcomes = await Promise.all([earn(first, 5, source), earn(second, 5, source)])
    expect(outcomes.map(({ type }) => type).toSorted()).toEqual(['booked', 'repeated'])
    expect(outcomes).toContainEqual({ type: 'repeated', balance: 0, isSame: false })
  })

  test('a balance stays within exactly countable numbers, and a missing user is reported', async () => {
    const userId = await world.addUser(0)
    expect(await payOut(userId, 1)).toEqual({ type: 'out_of_range', balance: 0 })
    expect(await earn(userId, Number.MAX_SAFE_INTEGER)).toMatchObject({ type: 'booked' })
    expect(await earn(userId, 1)).toMatchObject({ type: 'out_of_range' })
    await payOut(userId, Number.MAX_SAFE_INTEGER, `all:${userId}`)
    expect(await earn(2 ** 40, 1)).toEqual({ type: 'no_account' })
  })

  test.each([0, -5, 0.5, Number.NaN])('%d fen can be neither earned nor paid', async (amount) => {
    const userId = await world.addUser(0)
    await expect(earn(userId, amount)).rejects.toThrow(RangeError)
    await expect(payOut(userId, amount)).rejects.toThrow(RangeError)
  })
})
