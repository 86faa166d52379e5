import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  openNode,
  openBatchWorld,
  request,
  settled,
  type TestNode,
  voided,
} from '../../../testing/ledger/batch-world.ts'
import { type Account, tokenAccount, userAccount } from '../account.ts'
import { audit } from '../audit/audit.ts'
import type { EndRecord } from '../record.ts'

const RUNS = 12
const NODES = 2
const START = 1000

const amount = fc.integer({ min: 0, max: 300 })
const which = fc.nat(3)
const part = fc.record({ which, amount })
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      node: fc.nat(NODES - 1),
      ends: fc.array(fc.record({ which, cost: amount, part: amount }), { maxLength: 4 }),
      releases: fc.array(part, { maxLength: 2 }),
      leaseRequests: fc.array(
        fc.record({ which, min: amount, more: amount, recentCharges: amount }),
        {
          maxLength: 3,
        },
      ),
    }),
  },
  fc.record({ do: fc.constant('close' as const), node: fc.nat(NODES - 1) }),
  fc.record({ do: fc.constant('credit' as const), change: fc.integer({ min: -300, max: 300 }) }),
  fc.record({ do: fc.constant('edit user' as const), wanted: amount }),
  fc.record({ do: fc.constant('edit token' as const), wanted: amount }),
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
type Ended = { ended: number; cost: number }

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))

  /** A limited and an unlimited token of one user, and two epochs that are closed now and then. */
  async function play(steps: readonly Step[], together: boolean) {
    const userId = await world.addUser(START)
    const tokenIds = [await world.addToken(userId, 300), await world.addToken(userId)]
    const nodes = await Promise.all(
      Array.from({ length: NODES }, () => openNode(world.ledgerDatabase)),
    )
    const ended: Ended = { ended: 0, cost: 0 }
    const scene = { userId, tokenIds, nodes, ended }
    if (together) await Promise.all(perNode(steps).map((own) => takeAll(own, scene)))
    else await takeAll(steps, scene)
    expect(await audit(world.database)).toEqual([])
    for (const { epoch } of nodes) {
      await world.ledgerDatabase.closeEpoch({ epoch, type: 'finished', voids: [] })
    }
    expect(await audit(world.database)).toEqual([])
    expect(world.errors).toEqual([])

    const left = await world.user(userId)
    expect(left.quota_leased).toBe(0)
    expect(left.quota).toBeGreaterThanOrEqual(0)
    expect(left.request_count).toBe(ended.ended)
    const days = await world.rowsOf('ledger_days', userId)
    const uncollected = days.reduce(
      (sum, row) => sum + ('uncollected' in row ? row.uncollected : 0),
      0,
    )
    expect(left.used_quota + uncollected).toBe(ended.cost)
  }

  type Scene = { userId: number; tokenIds: number[]; nodes: TestNode[]; ended: Ended }

  /**
   * The batches of each node run in order; different nodes and everything else run concurrently.
   */
  const perNode = (steps: readonly Step[]): Step[][] => [
    ...Array.from({ length: NODES }, (_, node) =>
      steps.filter((one) => 'node' in one && one.node === node),
    ),
    ...steps.filter((one) => !('node' in one)).map((one) => [one]),
  ]

  async function takeAll(steps: readonly Step[], scene: Scene) {
    for (const one of steps) await take(one, scene)
  }

  async function take(one: Step, scene: Scene) {
    const { userId, tokenIds, nodes } = scene
    const edit = (edited: 'user' | 'token', ownerId: number, wanted: number) =>
      world.database.transaction((tx) =>
        world.ledger.editQuota(tx, {
          kind: edited,
          ownerId,
          targetBalance: wanted,
          reason: '',
          actorId: 1,
        }),
      )
    switch (one.do) {
      case 'turn':
        await flush(one, scene)
        return
      case 'close': {
        const epoch = nodes[one.node]?.epoch ?? ''
        await world.ledgerDatabase.closeEpoch({ epoch, type: 'finished', voids: [] })
        nodes[one.node] = await openNode(world.ledgerDatabase)
        return
      }
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

  async function flush(one: Step & { do: 'turn' }, { userId, tokenIds, nodes, ended }: Scene) {
    const accountOf = (index: number): Account =>
      index % 2 === 0 ? userAccount(userId) : tokenAccount(tokenIds[0] ?? 0)
    const records = one.ends.map((end): EndRecord => {
      const tokenLimited = end.which % 2 === 0
      const context = request(userId, tokenIds[tokenLimited ? 0 : 1] ?? 0, { tokenLimited })
      if (end.which === 3) return voided(context)
      const accounts = [userAccount(userId), ...(tokenLimited ? [accountOf(1)] : [])]
      const parts = accounts.map((account) => ({ account, amount: Math.min(end.part, end.cost) }))
      return settled(context, end.cost, { parts })
    })
    await nodes[one.node]?.flush({
      records,
      releases: one.releases.map((back) => ({ ...back, account: accountOf(back.which) })),
      leaseRequests: one.leaseRequests.map(({ which: index, min, more, recentCharges }) => ({
        account: accountOf(index),
        min,
        max: min + more,
        recentCharges,
      })),
    })
    ended.ended += records.length
    ended.cost += records.reduce((sum, { cost }) => sum + cost, 0)
  }

  test('after any sequence of operations, the books add up', async () => {
    const steps = fc.array(step, { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => play(sequence, false)),
      { numRuns: RUNS },
    )
  })

  test('after any concurrent operations, the books add up', async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => play(sequence, true)),
      { numRuns: RUNS },
    )
  })
})
