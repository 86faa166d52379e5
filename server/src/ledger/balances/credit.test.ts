import { describe, expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  exactly,
  openNode,
  openAuditedWorld,
  request,
  settled,
} from '../../../testing/ledger/batch-world.ts'
import { tokenAccount, userAccount } from '../account.ts'
import type { Credit, QuotaEdit } from '../ledger.ts'

describe.each(DATABASES)('on %s', (kind) => {
  const world = openAuditedWorld(kind)

  const credit = (ownerId: number, amount: number, changes: Partial<Credit> = {}) =>
    world.database.transaction((tx) =>
      world.ledger.credit(tx, {
        kind: 'user',
        ownerId,
        amount,
        reason: 'top-up',
        source: `test:${ownerId}:${amount}`,
        actorId: 1,
        ...changes,
      }),
    )

  const edit = (ownerId: number, changes: Partial<QuotaEdit> & { targetBalance: number }) =>
    world.database.transaction((tx) =>
      world.ledger.editQuota(tx, { kind: 'user', ownerId, reason: 'edit', actorId: 1, ...changes }),
    )

  const creditsOf = (userId: number) =>
    world.database.kysely
      .selectFrom('credits')
      .selectAll()
      .where('kind', '=', 'user')
      .where('owner_id', '=', userId)
      .orderBy('id')
      .execute()

  test('the same source is booked once, whatever the number of concurrent calls', async () => {
    const userId = await world.addUser(100)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => credit(userId, 50, { source: 'redemption:7' })),
    )
    expect(outcomes.filter(({ type }) => type === 'booked')).toEqual([
      { type: 'booked', balance: 150 },
    ])
    expect(outcomes.filter(({ type }) => type === 'repeated')).toHaveLength(19)
    expect(outcomes).toContainEqual({ type: 'repeated', isSame: true })
    expect(await world.user(userId)).toMatchObject({ quota: 150 })
  })

  test('a credit that emptied or filled the balance may be repeated', async () => {
    const userId = await world.addUser(100)
    for (const amount of [-100, QUOTA_MAX]) {
      expect(await credit(userId, amount)).toMatchObject({ type: 'booked' })
      expect(await credit(userId, amount)).toEqual({ type: 'repeated', isSame: true })
    }
  })

  test('one source never credits two users', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => world.addUser(0)))
    const source = 'redemption:8'
    const outcomes = await Promise.all(users.map((userId) => credit(userId, 50, { source })))
    expect(outcomes).toContainEqual({ type: 'repeated', isSame: false })
    const quotas = await Promise.all(users.map(async (id) => (await world.user(id)).quota))
    expect(quotas.filter((quota) => quota === 50)).toHaveLength(1)
  })

  test('a booking in a transaction that rolls back is undone', async () => {
    const userId = await world.addUser(100)
    const failing = world.database.transaction(async (tx) => {
      await world.ledger.credit(tx, {
        kind: 'user',
        ownerId: userId,
        amount: 5,
        reason: '',
        source: 'gift:1',
        actorId: 0,
      })
      throw new Error('the caller changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(await world.user(userId)).toMatchObject({ quota: 100 })
    expect(await credit(userId, 5, { source: 'gift:1' })).toMatchObject({ type: 'booked' })
  })

  test('a balance never goes below its leases, below 0 or above the maximum', async () => {
    const userId = await world.addUser(100)
    await world.node.lease(userAccount(userId), 60)
    expect(await credit(userId, -41)).toEqual({ type: 'below_leased', leased: 60 })
    expect(await credit(userId, -101)).toEqual({ type: 'out_of_range' })
    expect(await credit(userId, QUOTA_MAX)).toEqual({ type: 'out_of_range' })
    expect(await credit(userId, -40)).toEqual({ type: 'booked', balance: 60 })
    expect(await creditsOf(userId)).toHaveLength(2)
  })

  test('a change of 0 writes no row, and a missing owner is reported', async () => {
    const userId = await world.addUser(100)
    expect(await credit(userId, 0)).toEqual({ type: 'booked', balance: 100 })
    expect(await creditsOf(userId)).toHaveLength(1)
    expect(await credit(999, 5)).toEqual({ type: 'no_account' })
    expect(await edit(999, { kind: 'token', targetBalance: 5 })).toEqual({ type: 'no_account' })
  })

  test.each([0.5, Number.NaN, 2 ** 60])('refuses a credit of %d', async (amount) => {
    const userId = await world.addUser(100)
    await expect(credit(userId, amount)).rejects.toThrow(RangeError)
  })

  // guards: C13.1
  test('an edit books the difference to the value the editor saw, so nothing spent returns', async () => {
    const { userId, tokenId } = await world.addCustomer(1000)
    await world.node.flush({ records: [settled(request(userId, tokenId), 600)] })
    expect(await edit(userId, { targetBalance: 1000, seenBalance: 1000 })).toEqual({
      type: 'booked',
      balance: 400,
    })
    expect(await edit(userId, { targetBalance: 1500, seenBalance: 1000 })).toEqual({
      type: 'booked',
      balance: 900,
    })
    expect(await edit(userId, { targetBalance: 70 })).toEqual({ type: 'booked', balance: 70 })
    expect((await creditsOf(userId)).map(({ amount }) => amount)).toEqual([1000, 500, -830])
  })

  // guards: C16.3
  test('an edit of a user is refused below what is leased', async () => {
    const userId = await world.addUser(100)
    await world.node.lease(userAccount(userId), 60)
    expect(await edit(userId, { targetBalance: 59 })).toEqual({ type: 'below_leased', leased: 60 })
    expect(await edit(userId, { targetBalance: 0, seenBalance: 500 })).toEqual({
      type: 'out_of_range',
    })
  })

  // guards: C16.2
  test('an edit of a token is never refused: no epoch keeps a lease of it', async () => {
    const { userId, tokenId } = await world.addCustomer(1000, 100)
    const account = tokenAccount(tokenId)
    const other = await openNode(world.ledgerDatabase)
    await world.node.lease(userAccount(userId), 80)
    await world.node.lease(account, 60)
    await other.lease(account, 20)
    expect(await edit(tokenId, { kind: 'token', targetBalance: 10 })).toEqual({
      type: 'booked',
      balance: 10,
    })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 10, quota_leased: 0 })
    expect(await world.leaseOf(world.node.epoch, account)).toBeUndefined()
    expect(await world.leaseOf(other.epoch, account)).toBeUndefined()
    expect(await world.user(userId)).toMatchObject({ quota: 1000, quota_leased: 80 })

    const context = () => request(userId, tokenId, { tokenLimited: true })
    const states = await other.flush({ leaseRequests: [exactly(account, 4)] })
    expect(states).toMatchObject([{ lease: 4, leased: 4 }])
    await world.node.flush({ records: [settled(context(), 80)] })
    expect(await world.user(userId)).toMatchObject({ quota: 920, quota_leased: 0 })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 4, quota_leased: 4 })
    await other.flush({ records: [settled(context(), 4)] })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 0, status: 4 })
  })

  // guards: C12.2
  test('an edit of a token based on an outdated value stops at 0, and may be repeated', async () => {
    const { userId, tokenId } = await world.addCustomer(1000, 100)
    const record = settled(request(userId, tokenId, { tokenLimited: true }), 60)
    await world.node.flush({ records: [record] })
    const form = { kind: 'token', targetBalance: 0, seenBalance: 100, editId: 'form' } as const
    expect(await edit(tokenId, form)).toEqual({ type: 'booked', balance: 0 })
    expect(await edit(tokenId, form)).toEqual({ type: 'repeated', isSame: true })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 0 })
  })

  test.each(['user', 'token'] as const)('an edit of a %s is booked once for its id', async (of) => {
    const userId = await world.addUser(100)
    const ownerId = of === 'user' ? userId : await world.addToken(userId, 100)
    const form = { kind: of, targetBalance: 150, seenBalance: 100, editId: 'form' }
    expect(await edit(ownerId, form)).toEqual({ type: 'booked', balance: 150 })
    expect(await edit(ownerId, form)).toEqual({ type: 'repeated', isSame: true })
    expect(await edit(ownerId, { ...form, targetBalance: 160 })).toEqual({
      type: 'repeated',
      isSame: false,
    })
    expect(await edit(ownerId, { ...form, editId: 'other form' })).toEqual({
      type: 'booked',
      balance: 200,
    })
  })

  test('an edit of a token that changes nothing leaves its leases alone', async () => {
    const { tokenId } = await world.addCustomer(1000, 100)
    await world.node.lease(tokenAccount(tokenId), 60)
    await edit(tokenId, { kind: 'token', targetBalance: 100, seenBalance: 100 })
    expect(await world.token(tokenId)).toMatchObject({ quota_leased: 60 })
  })
})
