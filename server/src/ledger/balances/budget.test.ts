import { afterEach, describe, expect, test } from 'vitest'
import type { BudgetPeriod } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { openClockedWorld } from '../../../testing/ledger/clocked-world.ts'
import { request, settlement } from '../../../testing/ledger/ledger-world.ts'
import { readUser } from '../../../testing/worlds/rows.ts'
import { audit } from '../audit/audit.ts'
import type { BudgetEdit, Hold, HoldOutcome, Ledger, LedgerRequest } from '../ledger.ts'

const at = (text: string) => Date.parse(`${text}Z`) / 1000

/** A Saturday. */
const TODAY = at('2026-11-21T12:30:00')
const DAY = at('2026-11-21T00:00:00')
const MIDNIGHT = at('2026-11-22T00:00:00')
const TOMORROW = at('2026-11-22T00:00:01')
const MONDAY = at('2026-11-23T00:00:00')
const DAY_SECONDS = 86_400
const QUOTA = 1_000_000

describe.each(DATABASES)('budgets on %s', (kind) => {
  const world = openOnce(() => openClockedWorld(kind, TODAY))
  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
    await world.setTime(TODAY)
  })
  const edit = (budget: BudgetEdit) =>
    world.database.change((tx) => world.ledger.editBudget(tx, budget))

  /** A user with a large balance, and a token that may spend `quota` of it. */
  async function open(quota: number, period: BudgetPeriod = 'day') {
    const userId = await world.rows.addUser({ quota: QUOTA })
    const { id: tokenId } = await world.rows.addToken({ user: userId })
    await edit({ tokenId, quota, period })
    const context = (budget: BudgetPeriod | null = period) => request(userId, tokenId, { budget })
    return { userId, tokenId, context }
  }

  const take = (context: LedgerRequest, max: number, ledger: Ledger = world.ledger) =>
    ledger.hold(context, { min: max, max })

  /** Retries while another node still leases the quota. */
  async function takeAtLast(context: LedgerRequest, max: number): Promise<HoldOutcome> {
    let outcome = await take(context, max)
    await waitUntil(async () => {
      if (outcome.type === 'in_use') outcome = await take(context, max)
      return outcome.type !== 'in_use'
    })
    return outcome
  }

  async function mustTake(context: LedgerRequest, max: number): Promise<Hold> {
    const outcome = await takeAtLast(context, max)
    if (outcome.type !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
    return outcome.hold
  }

  const end = async ({ requestId }: LedgerRequest, hold: Hold, cost: number) => {
    await hold.settle(settlement(cost))
    const row = () =>
      world.database.kysely
        .selectFrom('logs')
        .select('id')
        .where('request_id', '=', requestId)
        .executeTakeFirst()
    await waitUntil(async () => (await row()) !== undefined)
  }

  const spend = async (context: LedgerRequest, cost: number) => {
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
    const { quota } = await readUser(world, userId)
    return quota
  }

  test('a request that waits across the end of a period is held in the next one', async () => {
    const { context, tokenId } = await open(100)
    await world.setTime(MIDNIGHT - 1)
    const outcome = take(context(), 10)
    await world.setTime(MIDNIGHT)
    const held = await outcome
    if (held.type !== 'held') throw new Error(`not held: ${JSON.stringify(held)}`)
    await held.hold.settle(settlement(10))
    await waitUntil(async () => (await periodsOf(tokenId)).some(({ spent }) => spent === 10))
  })

  test('many requests through two nodes spend exactly the budget, and the owner no more', async () => {
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

  test('a raised or lowered budget counts at once, including earlier spending', async () => {
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

  test('an edit revokes leases; running requests end, are paid by the owner, and stay within the budget', async () => {
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

  test('saving an unchanged budget takes nothing from running requests', async () => {
    const { tokenId, context } = await open(100)
    const running = await mustTake(context(), 60)
    await edit({ tokenId, quota: 100, period: 'day' })
    const [period] = await periodsOf(tokenId)
    expect(period?.quota_leased).toBeGreaterThanOrEqual(60)
    await running.settle(settlement(60))
  })

  const changeTo = (tokenId: number, period: BudgetPeriod, quota = 100) =>
    edit({ tokenId, quota, period })

  // guards: C17.2
  test('a budget with another period starts with what was spent in that period', async () => {
    const { tokenId, context } = await open(100)
    await world.setTime(TODAY - DAY_SECONDS)
    await spend(context(), 20)
    await world.setTime(TODAY)
    await spend(context(), 30)
    await changeTo(tokenId, 'week')
    expect(await take(context('week'), 51)).toMatchObject({ type: 'insufficient', balance: 50 })
    await spend(context('week'), 10)
    await changeTo(tokenId, 'month')
    await spend(context('month'), 5)
    await changeTo(tokenId, 'day')
    expect(await take(context(), 56)).toMatchObject({ type: 'insufficient', balance: 55 })
    await spend(context(), 55)
    await changeTo(tokenId, 'week')
    expect(await take(context('week'), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
    await world.setTime(MONDAY)
    await spend(context('week'), 100)
  })

  test('also if both periods began at the same moment', async () => {
    const { tokenId, context } = await open(100, 'week')
    await world.setTime(MONDAY)
    await spend(context('week'), 30)
    await changeTo(tokenId, 'day')
    await spend(context('day'), 20)
    await world.setTime(MONDAY + DAY_SECONDS)
    await spend(context('day'), 15)
    await changeTo(tokenId, 'week')
    expect(await periodsOf(tokenId)).toMatchObject([
      { period_start: MONDAY, spent: 65, limit_quota: 100 },
      { period_start: MONDAY + DAY_SECONDS, spent: 0 },
    ])
    await changeTo(tokenId, 'day')
    expect(await take(context('day'), 86)).toMatchObject({ type: 'insufficient', balance: 85 })
  })

  // guards: C17.3
  test('a changed period type frees nothing for requests that hold quota of the old one', async () => {
    const { userId, tokenId, context } = await open(1000)
    await spend(context(), 800)
    const first = context()
    const running = await mustTake(first, 100)
    await changeTo(tokenId, 'month', 1000)
    expect(await periodsOf(tokenId)).toMatchObject([
      { spent: 800, limit_quota: 1000 },
      { period_start: DAY, spent: 0, limit_quota: 0, quota_leased: 0 },
    ])
    expect(await running.raise({ min: 150, max: 150 })).toMatchObject({
      type: 'insufficient',
      account: 'budget',
      balance: 0,
    })
    // A request that was authorized under the old kind of period.
    expect(await take(context('day'), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
    await end(first, running, 100)
    expect(await balanceOf(userId)).toBe(QUOTA - 900)
    expect(await take(context('month'), 201)).toMatchObject({ type: 'insufficient', balance: 200 })
    await changeTo(tokenId, 'day', 1000)
    expect(await periodsOf(tokenId)).toMatchObject([
      { spent: 0, limit_quota: 0 },
      { period_start: DAY, spent: 800, limit_quota: 1000 },
    ])
    await spend(context('day'), 200)
  })

  test('without a budget there is no limit, and spending counts for none', async () => {
    const { tokenId, context } = await open(50)
    await spend(context(), 50)
    await edit({ tokenId, quota: 50, period: '' })
    await spend(context(null), 500)
    await changeTo(tokenId, 'week')
    expect(await take(context('week'), 51)).toMatchObject({ type: 'insufficient', balance: 50 })
  })

  /** Weeks end on Sunday, regardless of month and year. */
  test.each([
    ['day', '2026-12-31T23:59:59', '2027-01-01T00:00:00'],
    ['week', '2026-12-27T23:59:59', '2026-12-28T00:00:00'],
    ['week', '2027-01-03T23:59:59', '2027-01-04T00:00:00'],
    ['month', '2026-12-31T23:59:59', '2027-01-01T00:00:00'],
    ['month', '2027-02-28T23:59:59', '2027-03-01T00:00:00'],
    ['month', '2028-02-29T23:59:59', '2028-03-01T00:00:00'],
  ] as const)('the budget of a %s is full after %s, not before', async (period, last, first) => {
    const { tokenId, context } = await open(50, period)
    await world.setTime(at(last))
    await spend(context(), 50)
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
    await world.setTime(at(first))
    await spend(context(), 40)
    expect(await take(context(), 11)).toMatchObject({ type: 'insufficient', balance: 10 })
    expect((await periodsOf(tokenId)).at(-1)).toMatchObject({ period_start: at(first), spent: 40 })
  })

  test("a period ends by the database's clock, whatever the machine's clock says", async () => {
    const { tokenId, context } = await open(50, 'month')
    await world.setTime(at('2026-12-31T23:59:50'), { machineAhead: 60 })
    await spend(context(), 50)
    expect(await take(context(), 1)).toMatchObject({ type: 'insufficient', balance: 0 })
    await world.setTime(at('2027-01-01T00:00:00'), { machineAhead: -60 })
    await spend(context(), 40)
    expect(await periodsOf(tokenId)).toMatchObject([
      { period_start: at('2026-12-01T00:00:00'), spent: 50 },
      { period_start: at('2027-01-01T00:00:00'), spent: 40 },
    ])
  })

  // guards: C17.4
  test("an edit uses the database's clock as well", async () => {
    const { tokenId, context } = await open(50, 'month')
    await world.setTime(at('2026-12-31T23:59:50'), { machineAhead: 60 })
    await spend(context(), 20)
    await edit({ tokenId, quota: 100, period: 'month' })
    expect(await periodsOf(tokenId)).toMatchObject([
      { period_start: at('2026-12-01T00:00:00'), limit_quota: 100, spent: 20 },
    ])
    await changeTo(tokenId, 'day')
    expect(await take(context('day'), 81)).toMatchObject({ type: 'insufficient', balance: 80 })
    expect(await periodsOf(tokenId)).toMatchObject([
      { period_start: at('2026-12-01T00:00:00'), spent: 0 },
      { period_start: at('2026-12-31T00:00:00'), spent: 20 },
    ])
  })
})
