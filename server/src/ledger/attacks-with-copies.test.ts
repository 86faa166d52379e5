/* What the ledger does when there is an older or a second copy of its database or data folder. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Machine } from '../../testing/simulator/machine.ts'
import { Scenario } from '../../testing/simulator/scenario.ts'

const MINUTE_MS = 60_000
const UNLIMITED_TOKEN = 10
const OWNER = 1
const FIRST_BALANCE = 3000

let scenario: Scenario
let one: Machine
let two: Machine

beforeEach(async () => {
  scenario = await Scenario.open(0)
  one = await scenario.addMachine()
  two = await scenario.addMachine()
})

/** Whatever a test has done, the invariants hold once everything is healed. */
afterEach(async () => {
  expect(await scenario.finish()).toEqual([])
})

function restore(image: Uint8Array) {
  scenario.world.wasRestored = true
  scenario.world.server.restore(image)
}

describe('a database that is restored from an earlier backup', () => {
  // guards: C7.1
  test('receives its lost records again from the process that wrote them', async () => {
    const { world } = scenario
    const first = await scenario.charge(one, UNLIMITED_TOKEN, 10, 10)
    await scenario.pass(500)
    const image = world.server.backUp()
    const lost = await scenario.charge(one, UNLIMITED_TOKEN, 20, 20)
    await scenario.pass(500)
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
    restore(image)
    expect(scenario.row(lost)).toBeUndefined()
    await scenario.pass(5000)
    expect(scenario.row(first)).toMatchObject({ quota: 10 })
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
    expect(scenario.balance(OWNER).quota).toBe(FIRST_BALANCE - 30)
  })

  // guards: C7.6
  test('receives them also from a closed epoch, whatever the clock of its machine says', async () => {
    const { world } = scenario
    const image = world.server.backUp()
    const lost = await scenario.charge(one, UNLIMITED_TOKEN, 20, 20)
    await scenario.restart(one)
    one.wall.aheadMs += 60 * MINUTE_MS
    await scenario.restart(one)
    restore(image)
    expect(scenario.row(lost)).toBeUndefined()
    await scenario.restart(one)
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
  })

  test('receives them also from an epoch that was closed when its process started', async () => {
    const { world } = scenario
    const image = world.server.backUp()
    const lost = await scenario.charge(one, UNLIMITED_TOKEN, 20, 20)
    await scenario.restart(one)
    await scenario.pass(5 * MINUTE_MS)
    restore(image)
    await scenario.pass(6 * MINUTE_MS)
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
  })

  test('finds no journal of an epoch that was closed ten minutes ago', async () => {
    await scenario.charge(one, UNLIMITED_TOKEN, 20, 20)
    await scenario.restart(one)
    const journals = () => one.disk.attach().disk.listFolders('/data/journal')
    await scenario.pass(9 * MINUTE_MS)
    expect(journals()).toHaveLength(2)
    await scenario.pass(2 * MINUTE_MS)
    expect(journals()).toHaveLength(1)
  })

  test('receives also the ends of an epoch that it does not know', async () => {
    const { world } = scenario
    const image = world.server.backUp()
    const third = await scenario.addMachine()
    const ended = await scenario.charge(third, UNLIMITED_TOKEN, 20, 20)
    await scenario.pass(500)
    const running = await scenario.hold(third, UNLIMITED_TOKEN, 20)
    restore(image)
    await scenario.pass(5000)
    await scenario.settle(running, 15)
    await scenario.pass(5000)
    expect(scenario.row(ended)).toMatchObject({ quota: 20, late: 1 })
    expect(scenario.row(running)).toMatchObject({ quota: 15 })
  })

  // guards: C7.2
  test('receives immediately the ends of an idle epoch that it does not know', async () => {
    const image = scenario.world.server.backUp()
    const third = await scenario.addMachine()
    const ended = await scenario.charge(third, UNLIMITED_TOKEN, 20, 20)
    await scenario.pass(2000)
    restore(image)
    await scenario.pass(5000)
    expect(scenario.row(ended)).toMatchObject({ quota: 20, late: 1 })
    expect(scenario.balance(OWNER)).toEqual({ quota: FIRST_BALANCE - 20, quota_leased: 0 })
  })

  // guards: C7.3
  test('does not keep forever the leases whose release it has lost', async () => {
    await scenario.void(await scenario.hold(one, UNLIMITED_TOKEN, FIRST_BALANCE))
    await scenario.pass(1000)
    const image = scenario.world.server.backUp()
    await scenario.pass(10_000)
    expect(scenario.balance(OWNER).quota_leased).toBe(0)
    restore(image)
    expect(scenario.balance(OWNER).quota_leased).toBe(FIRST_BALANCE)
    await scenario.pass(10_000)
    expect(scenario.balance(OWNER).quota_leased).toBe(0)
  })

  // guards: C7.4
  test('does not let a request hold a lease that it has lost', async () => {
    const image = scenario.world.server.backUp()
    const { hold } = await scenario.hold(one, UNLIMITED_TOKEN, FIRST_BALANCE)
    restore(image)
    await scenario.pass(5000)
    expect(hold.amount).toBe(0)
    const other = await scenario.hold(two, UNLIMITED_TOKEN, FIRST_BALANCE)
    expect(other.hold.amount).toBe(FIRST_BALANCE)
    const raised = await scenario.done(hold.raise({ min: 1, max: 1 }))
    expect(raised).toMatchObject({ type: 'in_use' })
  })

  // guards: L1.8
  test.each([0, 1, 2, 3, 4, 5])(
    'loses no request of an epoch that it does not know, whenever its process dies (after %d writes)',
    async (writes) => {
      const { world } = scenario
      const image = world.server.backUp()
      const third = await scenario.addMachine()
      const open = await scenario.hold(third, UNLIMITED_TOKEN, 20)
      await scenario.pass(5000)
      const { process, disk } = scenario.nodeOf(third)
      disk.dieAfter(writes)
      restore(image)
      await scenario.pass(5000)
      process.kill()
      await scenario.untilServing(third)
      expect(scenario.row(open)).toMatchObject({ outcome: 'void' })
    },
  )
})

describe('a process that is restored from a snapshot', () => {
  /** Applies this many records more than the process knows of. */
  async function putBack(records: number) {
    const { server } = scenario.world
    const ofIt = `label = '${one.nature.name}'`
    server.ask(
      `update ledger_nodes set position = position + ${records}, beat = beat + 1 where ${ofIt} returning run`,
    )
    const over = `select run from ledger_nodes where ${ofIt} and finished_at > 0`
    await scenario.until(() => server.ask(over).length > 0)
  }

  // guards: C2.2, C2.3
  test('continues as a new epoch immediately, and its ends are charged once', async () => {
    await scenario.charge(one, UNLIMITED_TOKEN, 30, 30)
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    const ended = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    await scenario.pass(1000)
    await scenario.settle(ended, 20)
    await putBack(5)
    expect(scenario.row(ended)).toMatchObject({ quota: 20 })
    await scenario.settle(running, 10)
    await scenario.charge(one, UNLIMITED_TOKEN, 40, 40)
    await scenario.pass(5000)
    expect(scenario.row(running)).toMatchObject({ quota: 10 })
    expect(scenario.balance(OWNER).quota).toBe(FIRST_BALANCE - 100)
  })
})

describe('a copy of a living data folder', () => {
  // guards: C9.3
  test('voids nothing that its original then charges, and charges nothing twice', async () => {
    const ended = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    await scenario.settle(ended, 70)
    await scenario.addMachine(one.disk.copy())
    expect(scenario.row(ended)).toMatchObject({ outcome: 'settled', quota: 70 })
    expect(scenario.row(running)).toMatchObject({ outcome: 'void' })
    await scenario.settle(running, 60)
    await scenario.pass(5000)
    expect(scenario.row(running)).toMatchObject({ outcome: 'settled', quota: 60, late: 1 })
    expect(scenario.balance(OWNER)).toEqual({ quota: FIRST_BALANCE - 130, quota_leased: 0 })
  })

  test('does not lose what its original wrote before it died', async () => {
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    one.isCut = true
    await scenario.addMachine(one.disk.copy())
    const later = await scenario.hold(one, UNLIMITED_TOKEN, 0)
    const open = await scenario.hold(one, UNLIMITED_TOKEN, 0)
    await scenario.settle(running, 60)
    await scenario.settle(later, 0)
    scenario.nodeOf(one).process.kill()
    one.isCut = false
    await scenario.untilServing(one)
    expect(scenario.row(running)).toMatchObject({ outcome: 'settled', quota: 60, late: 1 })
    expect(scenario.row(later)).toMatchObject({ outcome: 'settled', quota: 0 })
    expect(scenario.row(open)).toMatchObject({ outcome: 'void' })
  })

  // guards: L1.7
  test('does not lose what its original had opened before it died', async () => {
    const copy = one.disk.copy()
    const open = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    await scenario.pass(5000)
    one.isCut = true
    await scenario.addMachine(copy)
    scenario.nodeOf(one).process.kill()
    one.isCut = false
    await scenario.untilServing(one)
    expect(scenario.row(open)).toMatchObject({ outcome: 'void' })
  })
})
