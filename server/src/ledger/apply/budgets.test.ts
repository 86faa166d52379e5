import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  exactly,
  openNode,
  openAuditedWorld,
  request,
  settled,
} from '../../../testing/ledger/batch-world.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { nextPeriodStart, periodStart } from '../../domain/budget-period.ts'
import { type Account, userAccount } from '../account.ts'

const DAY_SECONDS = 86_400

describe.each(DATABASES)('on %s', (kind) => {
  const world = openAuditedWorld(kind)

  /** A user whose unlimited token has a monthly budget, and the account of the current month. */
  async function open({ quota = 1000, budget = 100 } = {}) {
    const { userId, tokenId } = await world.addCustomer(quota)
    await setBudget(tokenId, budget)
    const account = budgetAccount(tokenId, periodStart('month', await databaseSeconds()))
    return { userId, tokenId, account }
  }

  const budgetAccount = (ownerId: number, period: number): Account => ({
    kind: 'budget',
    ownerId,
    period,
  })

  const setBudget = (id: number, budget_quota: number, budget_period = 'month') =>
    setRow(world, 'tokens', id, { budget_quota, budget_period })

  async function databaseSeconds(): Promise<number> {
    const outcome = await world.node.tryFlush({})
    return outcome.type === 'done' ? outcome.databaseSeconds : 0
  }

  const budget = ({ ownerId, period }: Account) =>
    world.database.kysely
      .selectFrom('token_budgets')
      .selectAll()
      .where('token_id', '=', ownerId)
      .where('period_start', '=', period)
      .executeTakeFirst()

  const acquire = async (account: Account, amount: number, node = world.node) =>
    (await node.flush({ leaseRequests: [exactly(account, amount)] }))[0]

  const end = (account: Account, userId: number, cost: number, part = cost) =>
    settled(request(userId, account.ownerId, { budget: 'month' }), cost, {
      parts: [
        { account: userAccount(userId), amount: cost },
        { account, amount: part },
      ],
    })

  test("the database's clock decides", async () => {
    const seconds = await databaseSeconds()
    if (kind === 'postgres') expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(5)
    else expect(seconds).toBe(Math.floor(Date.UTC(2026, 10, 21, 12, 30) / 1000))
  })

  test('a budget is created by the first lease request of its period, and charged like a limit', async () => {
    const { userId, account } = await open()
    expect(await acquire(account, 80)).toEqual({
      account,
      isOpen: true,
      lease: 80,
      balance: 100,
      leased: 80,
    })
    await world.node.lease(userAccount(userId), 80)
    await world.node.flush({ records: [end(account, userId, 30)] })
    expect(await budget(account)).toMatchObject({ limit_quota: 100, spent: 30, quota_leased: 50 })
    expect(await world.leaseOf(world.node.epoch, account)).toBe(50)
    expect(await world.rowsOf('ledger_days', userId)).toMatchObject([
      { charged: 30, token_charged: 0, budget_charged: 30 },
    ])
    expect(await acquire(account, 21)).toMatchObject({ lease: 50, balance: 70 })
    expect(await acquire(account, 20)).toMatchObject({ lease: 70 })
  })

  // guards: C17.5
  test('no budget is created for a period other than the current one', async () => {
    const { tokenId, account } = await open()
    const seconds = await databaseSeconds()
    const periods = [
      periodStart('month', account.period - 1),
      nextPeriodStart('month', nextPeriodStart('month', seconds)),
      account.period + 2 * DAY_SECONDS,
    ]
    for (const period of periods) {
      const other = budgetAccount(tokenId, period)
      expect(await acquire(other, 10)).toMatchObject({ isOpen: false, lease: 0, balance: 0 })
      expect(await budget(other)).toBeUndefined()
    }
    await setBudget(tokenId, 100, '')
    expect(await acquire(account, 10)).toMatchObject({ isOpen: false, lease: 0 })
  })

  test('a charge goes to the period of its hold, which may be over', async () => {
    const { userId, tokenId, account } = await open()
    const over = budgetAccount(tokenId, account.period - 31 * DAY_SECONDS)
    await world.database.kysely
      .insertInto('token_budgets')
      .values({
        token_id: tokenId,
        period_start: over.period,
        limit_quota: 50,
        spent: 0,
        quota_leased: 0,
      })
      .execute()
    await setBudget(tokenId, 70)
    expect(await acquire(over, 40)).toMatchObject({ lease: 40, balance: 50 })
    await acquire(account, 60)
    await world.node.flush({ records: [end(over, userId, 45, 40)] })
    expect(await budget(over)).toMatchObject({ limit_quota: 50, spent: 45, quota_leased: 0 })
    expect(await budget(account)).toMatchObject({ limit_quota: 70, spent: 0, quota_leased: 60 })
  })

  test('an exhausted budget never lowers what the owner pays', async () => {
    const { userId, account } = await open({ budget: 20 })
    await acquire(account, 20)
    await world.node.flush({ records: [end(account, userId, 90, 20)] })
    expect(await world.user(userId)).toMatchObject({ quota: 910 })
    expect(await budget(account)).toMatchObject({ spent: 20, quota_leased: 0 })
  })

  test('a budget is charged at most what its owner was charged', async () => {
    const { userId, account } = await open({ quota: 30, budget: 100 })
    await acquire(account, 90)
    await world.node.flush({ records: [end(account, userId, 90)] })
    expect(await world.user(userId)).toMatchObject({ quota: 0 })
    expect(await budget(account)).toMatchObject({ spent: 30, quota_leased: 0 })
  })

  test('a changed budget counts from the next lease request; existing leases stay', async () => {
    const { userId, tokenId, account } = await open({ budget: 100 })
    await acquire(account, 60)
    await setBudget(tokenId, 200)
    expect(await acquire(account, 100)).toMatchObject({ lease: 160, balance: 200 })
    await setBudget(tokenId, 10)
    expect(await acquire(account, 1)).toMatchObject({ lease: 160 })
    await world.node.flush({ records: [end(account, userId, 150)] })
    await world.node.flush({ releases: [{ account, amount: 10 }] })
    expect(await acquire(account, 1)).toMatchObject({ lease: 0, balance: 0 })
    expect(await budget(account)).toMatchObject({ limit_quota: 10, spent: 150, quota_leased: 0 })
    await world.node.flush({ records: [end(account, userId, 5)] })
    expect(await world.user(userId)).toMatchObject({ quota: 845 })
    expect(await budget(account)).toMatchObject({ spent: 150 })
  })

  test('a disabled or deleted token gets nothing of its budget', async () => {
    const { tokenId, account } = await open()
    const change = (set: { status: number } | { key_hash: null }) =>
      world.database.kysely.updateTable('tokens').set(set).where('id', '=', tokenId).execute()
    await change({ status: 2 })
    expect(await acquire(account, 10)).toMatchObject({ isOpen: false, lease: 0 })
    await change({ key_hash: null })
    expect(await acquire(account, 10)).toMatchObject({ isOpen: false, lease: 0 })
  })

  test('a closed epoch releases its budgets', async () => {
    const { account } = await open()
    const node = await openNode(world.ledgerDatabase)
    await acquire(account, 70, node)
    expect(await world.ledgerDatabase.readEpoch(node.epoch)).toMatchObject({
      accounts: [{ account, isOpen: true, lease: 70, balance: 100, leased: 70 }],
    })
    await world.ledgerDatabase.closeEpoch({ epoch: node.epoch, type: 'finished', voids: [] })
    expect(await budget(account)).toMatchObject({ quota_leased: 0 })
  })
})
