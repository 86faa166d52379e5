import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import { audit } from './audit.ts'
import type { Hold } from './ledger.ts'
import {
  addToken,
  addUser,
  type LedgerWorld,
  openLedgerWorld,
  request,
  settlement,
  user,
} from './testing/ledger-world.ts'

const RUNS = 15

const amount = fc.integer({ min: 0, max: 400 })
const which = fc.nat(5)
const step = fc.oneof(
  fc.record({ do: fc.constant('hold' as const), least: amount, more: amount, which }),
  fc.record({ do: fc.constant('settle' as const), cost: amount, which }),
  fc.record({ do: fc.constant('void' as const), which }),
  fc.record({ do: fc.constant('credit' as const), change: fc.integer({ min: -300, max: 300 }) }),
  fc.record({ do: fc.constant('edit user' as const), wanted: amount }),
  fc.record({ do: fc.constant('edit token' as const), wanted: amount }),
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

describe.each(DATABASES)('on %s', (kind) => {
  let world: LedgerWorld

  beforeAll(async () => {
    world = await openLedgerWorld(kind)
  })

  afterAll(() => world.close())

  /** One limited and one unlimited token of one user, and whatever is held on them. */
  async function play(steps: readonly Step[], together: boolean) {
    const userId = await addUser(world, 1000)
    const tokenIds = [await addToken(world, userId, 300), await addToken(world, userId)]
    const holds: Hold[] = []
    const run = (one: Step) => take(one, { userId, tokenIds, holds })
    if (together) await Promise.all(steps.map(run))
    else for (const one of steps) await run(one)
    expect(await audit(world.database)).toEqual([])

    await Promise.all(holds.map((hold) => hold.void(settlement(0))))
    expect(await audit(world.database)).toEqual([])
    const left = await user(world, userId)
    expect(left.quota_leased).toBe(0)
    expect(left.quota).toBeGreaterThanOrEqual(0)
  }

  type Scene = { userId: number; tokenIds: number[]; holds: Hold[] }

  async function take(one: Step, { userId, tokenIds, holds }: Scene) {
    const edit = (edited: 'user' | 'token', ownerId: number, wanted: number) =>
      world.database.transaction((tx) =>
        world.ledger.editQuota(tx, { kind: edited, ownerId, wanted, reason: '', actorId: 1 }),
      )
    switch (one.do) {
      case 'hold': {
        const context = request(userId, tokenIds[one.which % 2] ?? 0)
        const outcome = await world.ledger.hold(context, {
          least: one.least,
          most: one.least + one.more,
        })
        if (outcome.type === 'held') holds.push(outcome.hold)
        return
      }
      case 'settle':
        await holds[one.which]?.settle(settlement(one.cost))
        return
      case 'void':
        await holds[one.which]?.void(settlement(0))
        return
      case 'credit':
        await world.database.transaction((tx) =>
          world.ledger.credit(tx, {
            kind: 'user',
            ownerId: userId,
            amount: one.change,
            reason: '',
            source: `step:${Math.random()}`,
            actorId: 1,
          }),
        )
        return
      case 'edit user':
        await edit('user', userId, one.wanted)
        return
      case 'edit token':
        await edit('token', tokenIds[0] ?? 0, one.wanted)
    }
  }

  test('whatever happens in whatever order, the books add up', async () => {
    const steps = fc.array(step, { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => play(sequence, false)),
      { numRuns: RUNS },
    )
  })

  test('whatever happens at once, the books add up', async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => play(sequence, true)),
      { numRuns: RUNS },
    )
  })
})
