import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { BudgetPeriod } from '@tollgate/contract'
import { DATABASES } from '../../testing/databases.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { audit } from './audit.ts'
import type { BudgetEdit, Hold, HoldOutcome, Ledger, RequestContext } from './ledger.ts'
import { type ClockedWorld, openClockedWorld } from './testing/clocked-world.ts'
import { request, settlement } from './testing/ledger-world.ts'

const at = (text: string) => Date.parse(`${text}Z`) / 1000

/** A Saturday. */
const TODAY = at('2026-11-21T12:30:00')
const DAY = at('2026-11-21T00:00:00')
const MIDNIGHT = at('2026-11-22T00:00:00')
const TOMORROW = at('2026-11-22T00:00:01')
const QUOTA = 1_000_000

describe.each(DATABASES)('budgets on %s', (kind) => {
  let world: ClockedWorld

  beforeAll(async () => {
    world = await openClockedWorld(kind, TODAY)
  })
  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
    await world.setTime(TODAY)
  })
  afterAll(() => world.close())

  const edit = (budget: BudgetEdit) =>
    world.database.change((tx) => world.ledger.editBudget(tx, budget))

  /** A user who has plenty, and a token that may spend so much of it. */
  async function open(quota: number, period: BudgetPeriod = 'day') {
    const userId = await world.rows.addUser({ quota: QUOTA })
    const { id: tokenId } = await world.rows.addToken({ user: userId })
    await edit({ tokenId, quota, period })
    const context = (budget: BudgetPeriod | null = period) => request(userId, tokenId, { budget })
    return { userId, tokenId, context }
  }

  const take = (context: RequestContext, most: number, ledger: Ledger = world.ledger) =>
    ledger.hold(context, { least: most, most })

  /** What another node still leases comes back to who asks again. */
  async function takeAtLast(context: RequestContext, most: number): Promise<HoldOutcome> {
    let outcome = await take(context, most)
    await waitUntil(async () => {
      if (outcome.type === 'in_use') outcome = await take(context, most)
      return outcome.type !== 'in_use'
    })
    return outcome
  }

  async function mustTake(context: RequestContext, most: number): Promise<Hold> {
    const outcome = await takeAtLast(context, most)
    if (outcome.type !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
    return outcome.hold
  }

  /** Ends a request and waits until the database shows it. */
  const end = async ({ requestId }: RequestContext, hold: Hold, cost: number) => {
    await hold.settle(settlement(cost))
    const row = () =>
      world.database.kysely
        .selectFrom('logs')
        .select('id')
        .where('request_id', '=', requestId)
        .executeTakeFirst()
    await waitUntil(async () => (await row()) !== undefined)
  }

  const spend = async (context: RequestContext, cost: number) => {
    const hold = await mustTake(context, cost)
    await end(context, hold, cost)
  }

  const periodsOf = (tokenId: number) =>
    world.database.kysely
      .selectFrom('token_budgets')
      .select(['period_start', 'limit_quota', 'spent', 'quota_leased'])
      .where('token_id', '=', tokenId)
      .orderBy('period_start')
      .execute()

  const balanceOf = async (userId: number) => {
    const { quota } = await world.database.kysely
      .selectFrom('users')
      .select('quota')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    return quota
  }

  test('who waits while a period ends is held in the next one', async () => {
    const { context, tokenId } = await open(100)
    await world.setTime(MIDNIGHT - 1)
    const outcome = take(context(), 10)
    await world.setTime(MIDNIGHT)
    const held = await outcome
    if (held.type !== 'held') throw new Error(`not held: ${JSON.stringify(held)}`)
    await held.hold.settle(settlement(10))
    await waitUntil(async () => (await periodsOf(tokenId)).some(({ spent }) => spent === 10))
  })

  test('a crowd through two nodes spends exactly what there is, and the owner no more', async () => {
    const { userId, tokenId, context } = await open(100)
    const nodes = [world.ledger, await world.addNode()]
    const outcomes = await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 40 }, () => take(context(), 7, node))),
    )
    const held = outcomes.flatMap((outcome) => (outcome.type === 'held' ? [outcome.hold] : []))
    expect(held.length).toBeLessThanOrEqual(14)
    for (const outcome of outcomes) {
      if (outcome.type === 'held') continue
      expect(outcome).toMatchObject({ account: 'budget', needed: 7 })
    }
    await Promise.all(held.map((hold) => hold.settle(settlement(7))))
    for (let left = 14 - held.length; left > 0; left -= 1) await spend(context(), 7)
    expect(await takeAtLast(context(), 7)).toEqual({
      type: 'insufficient',
      account: 'budget',
      balance: 2,
      needed: 7,
    })
    await spend(context(), 2)
    expect(await periodsOf(tokenId)).toMatchObject([{ spent: 100, limit_quota: 100 }])
    expect(await balanceOf(userId)).toBe(QUOTA - 100)
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
  })

  test('what running requests hold of it is said to be in use, not used up', async () => {
    const { context } = await open(10)
    const first = context()
    const running = await mustTake(first, 8)
    expect(await take(context(), 3)).toMatchObject({
      type: 'in_use',
      account: 'budget',
      balance: 10,
      held: 8,
    })
    await end(first, running, 1)
    await spend(context(), 9)
  })

  test('a new period begins fresh, and the one before stays as it was', async () => {
    const { tokenId, context } = await open(50)
    await spend(context(), 50)
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient' })
    await world.setTime(TOMORROW)
    await spend(context(), 20)
    expect(await periodsOf(tokenId)).toMatchObject([
      { period_start: DAY, spent: 50 },
      { period_start: DAY + 86_400, spent: 20 },
    ])
    expect(await take(context(), 31)).toMatchObject({ type: 'insufficient', balance: 30 })
  })

  test('a charge goes to the period of its hold', async () => {
    const { tokenId, context } = await open(50)
    const first = context()
    const running = await mustTake(first, 30)
    await world.setTime(TOMORROW)
    await spend(context(), 50)
    await end(first, running, 30)
    expect(await periodsOf(tokenId)).toMatchObject([
      { period_start: DAY, spent: 30 },
      { period_start: DAY + 86_400, spent: 50 },
    ])
  })

  test('a dearer answer takes no more of the budget than it has, and its owner pays all of it', async () => {
    const { userId, tokenId, context } = await open(50)
    const first = context()
    await end(first, await mustTake(first, 40), 70)
    expect(await periodsOf(tokenId)).toMatchObject([{ spent: 50, limit_quota: 50 }])
    expect(await balanceOf(userId)).toBe(QUOTA - 70)
  })

  test('a budget that is raised or lowered counts at once, with what was spent', async () => {
    const { tokenId, context } = await open(50)
    await spend(context(), 40)
    await edit({ tokenId, quota: 100, period: 'day' })
    expect(await periodsOf(tokenId)).toEqual([
      { period_start: DAY, limit_quota: 100, spent: 40, quota_leased: 0 },
    ])
    await spend(context(), 60)
    await edit({ tokenId, quota: 30, period: 'day' })
    expect(await periodsOf(tokenId)).toMatchObject([{ limit_quota: 30, spent: 100 }])
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
    await world.setTime(TOMORROW)
    await spend(context(), 30)
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
  })

  test('an edit takes leases away; what was running ends, is paid by its owner, and spends no more than there is', async () => {
    const { userId, tokenId, context } = await open(1000)
    const first = context()
    const running = await mustTake(first, 400)
    await edit({ tokenId, quota: 100, period: 'day' })
    const leases = await world.database.kysely
      .selectFrom('quota_leases')
      .select('amount')
      .where('kind', '=', 'budget')
      .where('owner_id', '=', tokenId)
      .execute()
    expect(leases).toEqual([])
    expect(await audit(world.database)).toEqual([])
    await end(first, running, 400)
    expect(await periodsOf(tokenId)).toMatchObject([{ limit_quota: 100, spent: 100 }])
    expect(await balanceOf(userId)).toBe(QUOTA - 400)
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
  })

  test('saving a budget as it was takes nothing from those who run', async () => {
    const { tokenId, context } = await open(100)
    const running = await mustTake(context(), 60)
    await edit({ tokenId, quota: 100, period: 'day' })
    const [period] = await periodsOf(tokenId)
    expect(period?.quota_leased).toBeGreaterThanOrEqual(60)
    await running.settle(settlement(60))
  })

  test('another period counts from its own beginning, and without one there is no bound', async () => {
    const { tokenId, context } = await open(50)
    await spend(context(), 50)
    await edit({ tokenId, quota: 50, period: 'week' })
    await spend(context('week'), 50)
    expect(await take(context('week'), 1)).toMatchObject({ account: 'budget' })
    await edit({ tokenId, quota: 50, period: 'month' })
    await spend(context('month'), 50)
    expect((await periodsOf(tokenId)).map(({ period_start: start }) => start)).toEqual([
      at('2026-11-01T00:00:00'),
      at('2026-11-16T00:00:00'),
      DAY,
    ])
    await edit({ tokenId, quota: 50, period: '' })
    await spend(context(null), 500)
  })
})
