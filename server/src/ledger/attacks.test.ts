/*
 * Ways to lose money between the parts of the ledger: several processes, their disks, and the
 * connection to the database. `docs/reference/ledger.md` lists all of them with their tests.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NO_FAULTS } from '../../testing/simulator/commit-outcome.ts'
import type { Machine } from '../../testing/simulator/machine.ts'
import { Scenario } from '../../testing/simulator/scenario.ts'

const MINUTE_MS = 60_000
const UNLIMITED_TOKEN = 10
const LIMITED_TOKEN = 11
const OWNER = 1
const FIRST_BALANCE = 3000

let scenario: Scenario
let one: Machine
let other: Machine

beforeEach(async () => {
  scenario = await Scenario.open(2)
  const [first, second] = scenario.world.machines
  if (first === undefined || second === undefined) throw new Error('there are no two machines')
  one = first
  other = second
})

/** Whatever a test has done, the invariants hold once everything is healed. */
afterEach(async () => {
  expect(await scenario.finish()).toEqual([])
})

const batchesOf = (machine: Machine) => {
  const label = machine.nature.name
  const rows = scenario.world.server.ask<{ sequence: number }>(
    `select beat as sequence from ledger_nodes where label = '${label}'`,
  )
  return rows.reduce((sum, { sequence }) => sum + sequence, 0)
}

const openEpochs = (machine: Machine) =>
  scenario.world.server
    .ask<{ epoch: string }>(
      `select run as epoch from ledger_nodes where label = '${machine.nature.name}' and closed_at is null`,
    )
    .map(({ epoch }) => epoch)

describe('a node that is cut off', () => {
  test('keeps its leases until it is closed, so nothing is spent twice', async () => {
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 2000)
    one.isCut = true
    await scenario.pass(10 * MINUTE_MS)
    const refused = await scenario.ask(other, UNLIMITED_TOKEN, { min: 2000, max: 2000 })
    expect(refused.outcome).toMatchObject({ type: 'in_use', held: 2000 })

    await scenario.pass(7 * MINUTE_MS)
    expect(scenario.balance(OWNER)).toMatchObject({ quota: FIRST_BALANCE, quota_leased: 0 })
    const second = await scenario.charge(other, UNLIMITED_TOKEN, 2500, 2500)
    await scenario.settle(running, 2000)
    one.isCut = false
    await scenario.pass(MINUTE_MS)
    expect(scenario.row(second)).toMatchObject({ quota: 2500, uncollected: 0, late: 0 })
    expect(scenario.row(running)).toMatchObject({ quota: 500, uncollected: 1500, late: 1 })
    expect(scenario.balance(OWNER)).toEqual({ quota: 0, quota_leased: 0 })
  })

  // guards: C1.5
  test('serves from its leases for five minutes, and then refuses new requests', async () => {
    await scenario.charge(one, UNLIMITED_TOKEN, 100, 10)
    one.isCut = true
    await scenario.pass(4 * MINUTE_MS)
    await scenario.charge(one, UNLIMITED_TOKEN, 80, 80)
    await scenario.pass(1.1 * MINUTE_MS)
    await expect(scenario.hold(one, UNLIMITED_TOKEN, 1)).rejects.toThrow('away for too long')
  })

  // guards: C1.5
  test('measures these minutes by its wall clock as well; the longer time counts', async () => {
    one.isCut = true
    one.wall.aheadMs += 6 * MINUTE_MS
    await expect(scenario.hold(one, UNLIMITED_TOKEN, 0)).rejects.toThrow('away for too long')
  })
})

describe('a node that is silent', () => {
  test('is not closed by others while the database was away from all', async () => {
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    const epochs = [...openEpochs(one), ...openEpochs(other)]
    scenario.world.server.isDown = true
    await scenario.pass(20 * MINUTE_MS)
    scenario.world.server.isDown = false
    await scenario.pass(MINUTE_MS)
    expect([...openEpochs(one), ...openEpochs(other)]).toEqual(epochs)
    await scenario.settle(running, 60)
  })

  // guards: C1.4
  test('is not closed by a process that was suspended as long', async () => {
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    const epochs = [...openEpochs(one), ...openEpochs(other)]
    const processes = [scenario.nodeOf(one), scenario.nodeOf(other)].map(({ process }) => process)
    // The second process has seen the first one silent for a minute.
    for (const process of processes) {
      process.stop()
      await scenario.pass(MINUTE_MS)
    }
    await scenario.pass(20 * MINUTE_MS)
    for (const process of processes.toReversed()) {
      process.wake({ isPause: false })
      await scenario.pass(500)
    }
    await scenario.pass(MINUTE_MS)
    expect([...openEpochs(one), ...openEpochs(other)]).toEqual(epochs)
    await scenario.settle(running, 60)
    await scenario.pass(MINUTE_MS)
    expect(scenario.row(running)).toMatchObject({ quota: 60, late: 0 })
  })

  test('continues as a new epoch after it was closed, with its running requests', async () => {
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    const [epoch] = openEpochs(one)
    scenario.nodeOf(one).process.stop()
    await scenario.pass(17 * MINUTE_MS)
    expect(openEpochs(one)).toEqual([])
    scenario.nodeOf(one).process.wake({ isPause: true })
    await scenario.pass(MINUTE_MS)
    expect(openEpochs(one)).toHaveLength(1)
    expect(openEpochs(one)).not.toEqual([epoch])
    await scenario.settle(running, 60)
    await scenario.pass(MINUTE_MS)
    expect(scenario.row(running)).toMatchObject({ outcome: 'settled', quota: 60 })
  })
})

describe('a process that restarts', () => {
  // guards: C2.1
  test('is a new epoch, so that none of its charges counts as already applied', async () => {
    for (const cost of [5, 6, 7]) {
      await scenario.charge(one, UNLIMITED_TOKEN, 10, cost)
    }
    await scenario.pass(500)
    const before = openEpochs(one)
    const last = await scenario.charge(one, UNLIMITED_TOKEN, 10, 8)
    last.request.excuse = 'a power cut'
    one.cutPower()
    await scenario.untilServing(one)
    expect(openEpochs(one)).not.toEqual(before)
    for (const cost of [1, 2, 3, 4]) {
      await scenario.charge(one, UNLIMITED_TOKEN, 10, cost)
    }
    await scenario.pass(MINUTE_MS)
    const charged = FIRST_BALANCE - scenario.balance(OWNER).quota
    expect([28, 36]).toContain(charged)
  })

  // guards: L1.6
  test('charges what its predecessor had written, and voids what that left open', async () => {
    scenario.world.server.isDown = true
    const free = await scenario.charge(one, UNLIMITED_TOKEN, 0, 0)
    scenario.world.server.isDown = false
    const ended = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    const open = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    await scenario.settle(ended, 70)
    await scenario.restart(one)
    expect(scenario.row(free)).toMatchObject({ outcome: 'settled', quota: 0 })
    expect(scenario.row(ended)).toMatchObject({ outcome: 'settled', quota: 70 })
    expect(scenario.row(open)).toMatchObject({ outcome: 'void', quota: 0 })
    expect(scenario.balance(OWNER)).toEqual({ quota: FIRST_BALANCE - 70, quota_leased: 0 })
  })
})

describe('a lost acknowledgement of the database', () => {
  // guards: C5.1
  test('blocks nothing and charges nothing twice', async () => {
    const { world } = scenario
    await scenario.charge(one, UNLIMITED_TOKEN, 100, 40)
    world.rates = { ...NO_FAULTS, unheard: 1e9 }
    await scenario.pass(500)
    await expect(scenario.hold(one, LIMITED_TOKEN, 100)).rejects.toThrow('does not answer')
    world.rates = NO_FAULTS
    await scenario.pass(10_000)
    expect(scenario.balance(OWNER)).toEqual({ quota: FIRST_BALANCE - 40, quota_leased: 0 })
  })

  test('is also detected if the commit happens after the query', async () => {
    const { world } = scenario
    const running = await scenario.charge(one, UNLIMITED_TOKEN, 100, 40)
    world.rates = { ...NO_FAULTS, late: 1e9 }
    await scenario.pass(300)
    world.rates = NO_FAULTS
    await scenario.pass(MINUTE_MS)
    expect(scenario.row(running)).toMatchObject({ quota: 40, uncollected: 0 })
    expect(scenario.balance(OWNER)).toEqual({ quota: FIRST_BALANCE - 40, quota_leased: 0 })
  })
})

// guards: C9.2
test('a dead worker is closed by another one on its folder within seconds, and no other is', async () => {
  const { world } = scenario
  const machine = world.addMachine({ workers: 2, syncAlways: false })
  await scenario.until(() => machine.nodes.every(({ ledger }) => ledger !== null))
  const [first, second] = machine.nodes
  if (first === undefined || second === undefined) throw new Error('there are no two workers')
  const running = await scenario.hold(machine, UNLIMITED_TOKEN, 100)
  const holder = running.request.node
  await scenario.settle(running, 70)
  const epochs = openEpochs(machine)
  expect(epochs).toHaveLength(2)
  holder.process.kill()
  await scenario.until(() => scenario.row(running) !== undefined)
  expect(scenario.row(running)).toMatchObject({ quota: 70, late: 0 })
  await scenario.pass(3000)
  const survivor = holder === first ? second : first
  expect(survivor.process.isAlive).toBe(true)
  const stillOpen = openEpochs(machine).filter((epoch) => epochs.includes(epoch))
  expect(stillOpen).toHaveLength(1)
})

// guards: C14.1
test('quota leased by idle nodes returns to the node that needs it, within half a second', async () => {
  const machines = [one, other, await scenario.addMachine()]
  for (const machine of machines) {
    await scenario.void(await scenario.hold(machine, UNLIMITED_TOKEN, 900))
  }
  expect(scenario.balance(OWNER).quota_leased).toBe(2700)
  const fourth = await scenario.addMachine()
  const before = scenario.world.timeline.monotonic()
  const running = await scenario.hold(fourth, UNLIMITED_TOKEN, 2500)
  expect(scenario.world.timeline.monotonic() - before).toBeLessThan(500)
  await scenario.settle(running, 2500)
})

// guards: C15.1
test('quota held by running requests is reported as in use, and missing quota as missing', async () => {
  await scenario.hold(one, UNLIMITED_TOKEN, 2000)
  const inUse = await scenario.ask(other, UNLIMITED_TOKEN, { min: 1500, max: 1500 })
  expect(inUse.outcome).toEqual({
    type: 'in_use',
    account: 'user',
    balance: 3000,
    held: 2000,
    needed: 1500,
  })
  const short = await scenario.ask(other, UNLIMITED_TOKEN, { min: 3500, max: 3500 })
  expect(short.outcome).toMatchObject({ type: 'insufficient', balance: 3000, needed: 3500 })
})

// guards: C23.1
test('a hundred requests without balance cause one query', async () => {
  await scenario.charge(one, UNLIMITED_TOKEN, 3000, 3000)
  await scenario.pass(500)
  const before = batchesOf(one)
  const asked = Array.from({ length: 100 }, () =>
    scenario.ask(one, UNLIMITED_TOKEN, { min: 50, max: 50 }),
  )
  const outcomes = await Promise.all(asked)
  expect(new Set(outcomes.map(({ outcome }) => outcome.type))).toEqual(new Set(['insufficient']))
  expect(batchesOf(one) - before).toBeLessThanOrEqual(2)
})

// guards: C22.6
test('a price of 0 needs no balance and no database', async () => {
  await scenario.charge(one, UNLIMITED_TOKEN, 3000, 3000)
  await scenario.pass(500)
  scenario.world.server.isDown = true
  const free = await scenario.charge(one, UNLIMITED_TOKEN, 0, 0)
  scenario.world.server.isDown = false
  await scenario.pass(5000)
  expect(scenario.row(free)).toMatchObject({ outcome: 'settled', quota: 0, uncollected: 0 })
})

// guards: C22.1
test('a request that never ends is voided after three hours, and logged as an internal error', async () => {
  scenario.nodeOf(other).process.stop()
  const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
  await scenario.pass(2.9 * 60 * MINUTE_MS)
  expect(scenario.balance(OWNER).quota_leased).toBe(100)
  await scenario.pass(0.2 * 60 * MINUTE_MS)
  expect(scenario.row(running)).toMatchObject({ outcome: 'void', quota: 0 })
  expect(scenario.balance(OWNER).quota_leased).toBe(0)
  expect(scenario.world.complaints.splice(0)).toEqual([expect.stringContaining('never ended')])
})

// guards: C8.6
test('a journal deleted under its process is restored within a second', async () => {
  const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
  one.isCut = true
  await scenario.settle(running, 70)
  one.deleteJournal()
  await scenario.pass(2500)
  scenario.nodeOf(one).process.kill()
  one.isCut = false
  await scenario.untilServing(one)
  expect(scenario.row(running)).toMatchObject({ quota: 70 })
})

test('a full disk refuses new requests, and running requests are still charged', async () => {
  const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
  one.disk.trouble.isReadOnly = true
  await expect(scenario.hold(one, UNLIMITED_TOKEN, 50)).rejects.toThrow('journal')
  await scenario.settle(running, 70)
  expect(scenario.row(running)).toMatchObject({ quota: 70 })
  await expect(scenario.hold(one, UNLIMITED_TOKEN, 50)).rejects.toThrow('journal')
  one.disk.heal()
  await scenario.pass(3000)
  await scenario.charge(one, UNLIMITED_TOKEN, 50, 50)
})

// guards: L1.2
test('no caller learns of an end before the disk or the database has it', async () => {
  const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
  one.disk.trouble.isReadOnly = true
  one.isCut = true
  let isAnswered = false
  const settling = scenario.settle(running, 70).then(() => {
    isAnswered = true
  })
  await scenario.pass(3000)
  expect(isAnswered).toBe(false)
  one.isCut = false
  await settling
  expect(scenario.row(running)).toMatchObject({ quota: 70 })
})

// guards: C17.1
test('a budget is charged for the day in which its request began', async () => {
  const budgetToken = 22
  const running = await scenario.hold(one, budgetToken, 500)
  const refused = await scenario.ask(other, budgetToken, { min: 300, max: 300 })
  expect(refused.outcome).toMatchObject({ type: 'in_use', account: 'budget' })
  await scenario.pass(40 * MINUTE_MS)
  const next = await scenario.hold(other, budgetToken, 700)
  await scenario.settle(running, 500)
  await scenario.settle(next, 650)
  await scenario.pass(5000)
  const budgets = scenario.world.server.ask<{ spent: number }>(
    `select spent from token_budgets where token_id = ${budgetToken} order by period_start`,
  )
  expect(budgets.map(({ spent }) => spent)).toEqual([500, 650])
})

// guards: C20.1
test('a reader sees what other nodes have ended, within 300 ms', async () => {
  const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
  const before = scenario.world.timeline.monotonic()
  await scenario.settle(running, 70)
  await scenario.done(scenario.ledgerOf(other).flush())
  expect(scenario.row(running)).toMatchObject({ quota: 70 })
  expect(scenario.world.timeline.monotonic() - before).toBeLessThan(300)
})

describe('a node that stops', () => {
  test('refuses a request that waits for a lease, and leaves no epoch open', async () => {
    const { world } = scenario
    await scenario.hold(other, UNLIMITED_TOKEN, 2990)
    const node = scenario.nodeOf(one)
    const waiting = scenario.ask(one, UNLIMITED_TOKEN, { min: 500, max: 500 })
    await Promise.all([
      expect(waiting).rejects.toThrow('stopping'),
      scenario.done(node.ledger?.close() ?? Promise.reject(new Error('nothing serves'))),
    ])
    await scenario.pass(MINUTE_MS)
    expect(openEpochs(one)).toEqual([])
    expect(world.server.ask('select 1 from logs')).toEqual([])
  })

  test('in the middle of a batch leaves no epoch open either', async () => {
    const node = scenario.nodeOf(one)
    scenario.world.travelMsMax = 200
    const sequences = batchesOf(one)
    await scenario.until(() => batchesOf(one) > sequences)
    await scenario.done(node.ledger?.close() ?? Promise.reject(new Error('nothing serves')))
    await scenario.pass(MINUTE_MS)
    expect(openEpochs(one)).toEqual([])
  })
})
