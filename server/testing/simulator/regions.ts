import type { Quota } from '@tollgate/contract'
import { createCredits } from '../../src/ledger/balances/credit.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger.ts'
import { isDatabaseAway } from '../../src/store/failures.ts'
import { checkEnd } from './checks.ts'
import type { Machine } from './machine.ts'
import { BEGIN_MS } from './process.ts'
import { settlementOf } from './settlement.ts'
import { heal } from './simulate.ts'
import { askServer } from './simulated-database.ts'
import { World } from './world.ts'

/** One-way travel time to the database of each region; the last region is cut off for a phase. */
const DISTANCES_MS = [0.25, 5, 20, 40, 75]
/** Requests per second and node. */
const RATE = 2
const HOLD = 1000
const REQUEST_MS_MAX = 8000
/** Share of the requests for the account whose balance is always short. */
const SHORT_SHARE = 0.2
/** Less than its requests cost. */
const SHORT_CREDIT_PER_SECOND = 6000
const AMPLE = 1_000_000_000
const SECOND_MS = 1000

const [ampleUser, shortUser] = [1, 2]
const PHASES = ['connected', 'cut off', 'healed'] as const
type Phase = (typeof PHASES)[number]

export type RegionRow = {
  phase: Phase
  distanceMs: number
  requests: number
  /** Milliseconds from the request to its hold, for the account with an ample balance. */
  median: number
  p99: number
  /** The same for the account whose balance is always short. */
  shortMedian: number
  /** Refusals for the account whose balance is short. */
  short: number
  /** Refusals for the account with an ample balance, which should be none. */
  wrong: number
  /** Requests that a node without the database could not serve. */
  unavailable: number
}

export type RegionsResult = {
  rows: RegionRow[]
  leases: { phase: Phase; count: number; leased: Quota; revocations: number; used: number }[]
  wrong: string[]
}

type Counts = Omit<RegionRow, 'median' | 'p99' | 'shortMedian'>
type Tally = Counts & { waits: number[]; shortWaits: number[] }

/** Runs nodes in regions before, during and after a partition, and checks the books at the end. */
export async function simulateRegions(options: {
  seed: number
  nodesPerRegion: number
  seconds: number
}): Promise<RegionsResult> {
  const { seed, nodesPerRegion, seconds } = options
  const world = await World.open({ seed, isCalm: true })
  world.wire.lossRate = 0
  const credit = creditor(world)
  await credit(ampleUser, AMPLE)
  const regions = DISTANCES_MS.map((distanceMs) => ({
    distanceMs,
    machines: Array.from({ length: nodesPerRegion }, () =>
      world.addMachine({ workers: 1, syncAlways: false, distanceMs }),
    ),
  }))
  while (world.servingNodes.length < regions.length * nodesPerRegion) {
    await world.timeline.advance(SECOND_MS)
  }
  const result: RegionsResult = { rows: [], leases: [], wrong: [] }
  for (const phase of PHASES) {
    for (const { isCut, machine } of lastOf(regions, phase)) machine.isCut = isCut
    const before = { revocations: world.wire.revocations, charged: chargedTo(world, shortUser) }
    const tallies = regions.map(({ distanceMs }) => newTally(phase, distanceMs))
    for (let second = 0; second < seconds; second++) {
      await credit(shortUser, SHORT_CREDIT_PER_SECOND)
      for (const [index, { machines }] of regions.entries()) {
        const tally = tallies[index]
        for (const machine of machines) if (tally) sendRequests(world, machine, tally)
      }
      await world.timeline.advance(SECOND_MS)
    }
    result.rows.push(...tallies.map(summed))
    const used = chargedTo(world, shortUser) - before.charged
    result.leases.push({
      phase,
      ...leasesOf(world),
      revocations: world.wire.revocations - before.revocations,
      used: used / (seconds * SHORT_CREDIT_PER_SECOND),
    })
  }
  await world.timeline.advance(REQUEST_MS_MAX)
  await heal(world)
  result.wrong = [...world.complaints, ...(await checkEnd(world))]
  return result
}

function lastOf(regions: readonly { machines: readonly Machine[] }[], phase: Phase) {
  return (regions.at(-1)?.machines ?? []).map((machine) => ({
    machine,
    isCut: phase === 'cut off',
  }))
}

function creditor(world: World) {
  let credits = 0
  return (ownerId: number, amount: Quota) => {
    const source = `regions:${(credits += 1)}`
    return askServer(world.server, (database) => {
      const now = () => BEGIN_MS + world.timeline.monotonic()
      const { credit } = createCredits({ database, now })
      const booked = {
        kind: 'user',
        ownerId,
        amount,
        reason: 'top-up',
        actorId: 0,
        source,
      } as const
      return database.transaction((tx) => credit(tx, booked))
    })
  }
}

const newTally = (phase: Phase, distanceMs: number): Tally => ({
  phase,
  distanceMs,
  requests: 0,
  waits: [],
  shortWaits: [],
  short: 0,
  wrong: 0,
  unavailable: 0,
})

function sendRequests(world: World, machine: Machine, tally: Tally) {
  for (let count = 0; count < RATE; count++) {
    world.timeline.after(world.random.int(0, SECOND_MS - 1), () => {
      sendRequest(world, machine, tally).catch((error: unknown) => world.complain(String(error)))
    })
  }
}

async function sendRequest(world: World, machine: Machine, tally: Tally) {
  const [node] = machine.nodes
  if (node?.ledger == null) return
  const { random, timeline } = world
  const userId = random.chance(SHORT_SHARE) ? shortUser : ampleUser
  const token = world.tokens.find(
    (one) => one.userId === userId && !one.isLimited && !one.hasBudget,
  )
  if (token === undefined) throw new Error('an account has no token')
  const request = world.addRequest(node, token)
  tally.requests += 1
  const askedAt = timeline.monotonic()
  const outcome = await node.ledger
    .hold(request.context, { min: HOLD, max: HOLD })
    .catch((error: unknown) => {
      if (error instanceof LedgerUnavailable || isDatabaseAway(error)) return null
      throw error
    })
  if (outcome === null) tally.unavailable += 1
  else if (outcome.type !== 'held') tally[userId === shortUser ? 'short' : 'wrong'] += 1
  if (outcome?.type !== 'held') return
  tally[userId === shortUser ? 'shortWaits' : 'waits'].push(timeline.monotonic() - askedAt)
  request.admittedAt = node.process.ranMs
  await node.process.wait(random.skewed(0, REQUEST_MS_MAX))
  request.asked = random.int(HOLD / 10, HOLD)
  await outcome.hold.settle(settlementOf(request.asked, ''))
  request.promisedAt = node.process.ranMs
}

function chargedTo({ server }: World, userId: number): Quota {
  const [row] = server.ask<{ used: number }>(
    `select used_quota as used from users where id = ${userId}`,
  )
  return row?.used ?? 0
}

function leasesOf({ server }: World): { count: number; leased: Quota } {
  const [row] = server.ask<{ count: number; leased: number | null }>(
    `select count(*) as count, sum(amount) as leased from quota_leases where kind = 'user' and amount > 0`,
  )
  return { count: row?.count ?? 0, leased: row?.leased ?? 0 }
}

function summed({ waits, shortWaits, ...counts }: Tally): RegionRow {
  return {
    ...counts,
    median: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    shortMedian: quantile(shortWaits, 0.5),
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
}

/** As tables of Markdown. */
export function describeRegions({ rows, leases }: RegionsResult): string {
  const table = (lines: readonly (readonly (string | number)[])[]) =>
    lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return [
    table([
      ['Phase', 'Round trip ms', 'Requests', 'Hold p50 ms', 'p99', 'p50, short', ...REFUSALS],
      ['---', ...Array.from({ length: 8 }, () => '---:')],
      ...rows.map((row) => {
        const waits = [row.median, row.p99, row.shortMedian]
        const refusals = [row.wrong, row.short, row.unavailable]
        return [row.phase, 2 * row.distanceMs, row.requests, ...waits, ...refusals]
      }),
    ]),
    table([
      ['Phase', 'Leases at its end', 'Leased', 'Revocations', 'Used of the short credit'],
      ['---', ...Array.from({ length: 4 }, () => '---:')],
      ...leases.map(({ phase, count, leased, revocations, used }) => {
        return [phase, count, leased, revocations, `${Math.round(100 * used)} %`]
      }),
    ]),
  ].join('\n\n')
}

const REFUSALS = ['Refused, ample', 'Refused, short', 'Unavailable']
