import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  holdAs,
  mustHold,
  openLedgerWorld,
  request,
  settlement,
} from '../../../testing/ledger/ledger-world.ts'
import type { HoldOutcome } from '../ledger.ts'

const REQUESTS = 200
const PAID_FOR = 10
const PRICE = 7

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openLedgerWorld(kind))

  test.each([
    ['balance', PAID_FOR * PRICE, undefined],
    ['limit of a rich user', 1_000_000, PAID_FOR * PRICE],
  ])('200 concurrent requests on a %s for 10 are served 10 times', async (_of, quota, limit) => {
    const { userId, tokenId } = await world.addCustomer(quota, limit)
    const outcomes = await Promise.all(
      Array.from({ length: REQUESTS }, () =>
        holdAs(world, request(userId, tokenId), { min: PRICE, max: PRICE }),
      ),
    )
    const types = outcomes.map(({ type }) => type)
    expect(types.filter((type) => type === 'held')).toHaveLength(PAID_FOR)
    expect(types.filter((type) => type === 'in_use')).toHaveLength(REQUESTS - PAID_FOR)
    await settleAll(outcomes)
    const used_quota = PAID_FOR * PRICE
    expect(await world.user(userId)).toMatchObject({ quota: quota - used_quota, used_quota })
    if (limit === undefined) return
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 0, status: 4 })
  })

  test('lease requests that exceed any balance together affect no other request', async () => {
    const poor = await world.addUser(PRICE)
    const rich = await world.addUser(1000 * PRICE)
    const poorToken = await world.addToken(poor)
    const demand = { min: QUOTA_MAX, max: QUOTA_MAX }
    const outcomes = await Promise.all([
      ...Array.from({ length: 3 }, () => holdAs(world, request(poor, poorToken), demand)),
      holdAs(world, request(rich, await world.addToken(rich)), { min: PRICE, max: PRICE }),
    ])
    expect(outcomes.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 3 }, () => 'insufficient'),
      'held',
    ])
    await settleAll(outcomes)
  })

  async function settleAll(outcomes: HoldOutcome[]) {
    const holds = outcomes.flatMap((outcome) => (outcome.type === 'held' ? [outcome.hold] : []))
    await Promise.all(holds.map((hold) => hold.settle(settlement(PRICE))))
    await world.ledger.whenApplied()
  }

  test.each([
    { of: 'plenty as much as was spent', balance: 1000 * PRICE, ahead: PRICE },
    { of: 'little nothing', balance: 20 * PRICE, ahead: 0 },
  ])('before a request has to wait, $of is leased ahead', async ({ balance, ahead }) => {
    const userId = await world.addUser(balance)
    const context = request(userId, await world.addToken(userId))
    const hold = await mustHold(world, context, { min: PRICE, max: PRICE })
    await hold.settle(settlement(PRICE))
    const expected = { quota: balance - PRICE, quota_leased: ahead }
    expect(await world.user(userId)).toMatchObject(expected)
  })

  test('takes the maximum, or the balance if that is enough', async () => {
    const userId = await world.addUser(100)
    const limited = await world.addToken(userId, 60)
    const first = await mustHold(world, request(userId, limited), { min: 10, max: 40 })
    const second = await mustHold(world, request(userId, limited), { min: 10, max: 40 })
    expect([first.amount, second.amount]).toEqual([40, 20])
    const unlimited = await world.addToken(userId)
    const third = await mustHold(world, request(userId, unlimited), { min: 0, max: 99 })
    expect(third.amount).toBe(40)
    expect(await world.user(userId)).toMatchObject({ quota: 100 })
    expect(await world.token(limited)).toMatchObject({ remain_quota: 60 })
  })

  test('distinguishes an insufficient balance from a held one, and holds nothing', async () => {
    const userId = await world.addUser(50)
    const rich = await world.addToken(userId)
    const poor = await world.addToken(userId, 5)
    const ask = (tokenId: number, min: number) =>
      holdAs(world, request(userId, tokenId), { min, max: min })
    expect(await ask(rich, 51)).toEqual({
      type: 'insufficient',
      account: 'user',
      balance: 50,
      needed: 51,
    })
    expect(await ask(poor, 6)).toMatchObject({ type: 'insufficient', account: 'token', balance: 5 })
    await mustHold(world, request(userId, rich), { min: 30, max: 30 })
    expect(await ask(rich, 21)).toEqual({
      type: 'in_use',
      account: 'user',
      balance: 50,
      held: 30,
      needed: 21,
    })
    expect(await ask(poor, 6)).toMatchObject({ type: 'insufficient', account: 'token' })
    expect(await world.token(poor)).toMatchObject({ status: 1 })
  })

  const closed = [
    { what: 'a token that was deleted', table: 'tokens', set: { key_hash: null } },
    { what: 'a token that was disabled', table: 'tokens', set: { status: 2 } },
    { what: 'an owner who was banned', table: 'users', set: { status: 2 } },
    { what: 'an owner who was deleted', table: 'users', set: { status: 3 } },
  ] as const

  // guards: C15.8, C15.9, C15.10
  test.each(closed)(
    'a running request of $what continues; new requests get nothing until it is enabled again',
    async (to) => {
      const { running, close, comesIn, userId } = await openRunning()
      await close(to)
      const more = { min: 5000, max: 5000 }
      const [raised, refused] = await Promise.all([running.raise(more), comesIn()])
      expect([raised.type, running.amount, refused.type]).toEqual(['held', 5000, 'no_account'])
      expect(await running.raise({ min: 20_001, max: 20_001 })).toMatchObject({
        type: 'insufficient',
        balance: 20_000,
      })
      await running.settle(settlement(1000))
      // Not even from the amount this has freed.
      expect(await comesIn()).toEqual({ type: 'no_account' })
      expect(await world.user(userId)).toMatchObject({ quota: 19_000 })
      const key_hash = randomUUID()
      await close({ ...to, set: to.table === 'users' ? { status: 1 } : { status: 1, key_hash } })
      const outcome = await comesIn()
      if (outcome.type !== 'held') throw new Error(outcome.type)
      await outcome.hold.void(settlement(0))
    },
  )

  /** A request that holds 1000 of the 20 000 of its owner and of its token. */
  async function openRunning() {
    const { userId, tokenId } = await world.addCustomer(20_000, 20_000)
    return {
      userId,
      running: await mustHold(world, request(userId, tokenId), { min: 1000, max: 1000 }),
      comesIn: () => holdAs(world, request(userId, tokenId), { min: 10, max: 10 }),
      close: ({ table, set }: { table: 'tokens' | 'users'; set: object }) =>
        world.database.kysely
          .updateTable(table)
          .set(set)
          .where('id', '=', table === 'users' ? userId : tokenId)
          .execute(),
    }
  }

  test.each([
    { min: -1, max: 5 },
    { min: 0.5, max: 5 },
    { min: 0, max: QUOTA_MAX + 1 },
    { min: Number.NaN, max: 5 },
    { min: 6, max: 5 },
  ])('refuses to hold $min to $max', async (amount) => {
    const { userId, tokenId } = await world.addCustomer(100)
    await expect(holdAs(world, request(userId, tokenId), amount)).rejects.toThrow(RangeError)
  })
})
