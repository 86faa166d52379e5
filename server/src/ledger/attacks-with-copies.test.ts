/* What a ledger makes of a database or a data folder of which there is an older or a second one. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Machine } from './simulator/machine.ts'
import { Scenario } from './simulator/scenario.ts'

const MINUTE_MS = 60_000
const UNLIMITED_TOKEN = 10
const OWNER = 1
const FIRST_BALANCE = 3000

let scenario: Scenario
let one: Machine

beforeEach(async () => {
  scenario = await Scenario.open(2)
  const [first] = scenario.world.machines
  if (first === undefined) throw new Error('there is no machine')
  one = first
})

/** Whatever a test has done, nothing may be wrong once all is healed. */
afterEach(async () => {
  expect(await scenario.finish()).toEqual([])
})

describe('a database that is put back to what it was', () => {
  test('gets again what it has lost, from whoever wrote it down', async () => {
    const { world } = scenario
    const first = await scenario.hold(one, UNLIMITED_TOKEN, 10)
    await scenario.settle(first, 10)
    await scenario.pass(500)
    const image = world.server.backUp()
    const lost = await scenario.hold(one, UNLIMITED_TOKEN, 20)
    await scenario.settle(lost, 20)
    await scenario.pass(500)
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
    world.wasRestored = true
    world.server.restore(image)
    expect(scenario.row(lost)).toBeUndefined()
    await scenario.pass(5000)
    expect(scenario.row(first)).toMatchObject({ quota: 10 })
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
    expect(scenario.balance(OWNER).quota).toBe(FIRST_BALANCE - 30)
  })

  test('gets it again also from a run that is over, whatever the clock of its machine says', async () => {
    const { world } = scenario
    const startAgain = async () => {
      scenario.nodeOf(one).process.kill()
      await scenario.until(() => one.nodes.some(({ ledger }) => ledger !== null))
    }
    const image = world.server.backUp()
    const lost = await scenario.hold(one, UNLIMITED_TOKEN, 20)
    await scenario.settle(lost, 20)
    await startAgain()
    one.wall.aheadMs += 60 * MINUTE_MS
    await startAgain()
    world.wasRestored = true
    world.server.restore(image)
    expect(scenario.row(lost)).toBeUndefined()
    await startAgain()
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
  })

  test('gets it again also from a run that was over when its process began', async () => {
    const { world } = scenario
    const image = world.server.backUp()
    const lost = await scenario.hold(one, UNLIMITED_TOKEN, 20)
    await scenario.settle(lost, 20)
    scenario.nodeOf(one).process.kill()
    await scenario.until(() => one.nodes.some(({ ledger }) => ledger !== null))
    await scenario.pass(5 * MINUTE_MS)
    world.wasRestored = true
    world.server.restore(image)
    await scenario.pass(6 * MINUTE_MS)
    expect(scenario.row(lost)).toMatchObject({ quota: 20 })
  })

  test('finds no journal any more of a run that was over ten minutes ago', async () => {
    await scenario.settle(await scenario.hold(one, UNLIMITED_TOKEN, 20), 20)
    scenario.nodeOf(one).process.kill()
    await scenario.until(() => one.nodes.some(({ ledger }) => ledger !== null))
    const journals = () => one.disk.attach().disk.listFolders('/data/journal')
    await scenario.pass(9 * MINUTE_MS)
    expect(journals()).toHaveLength(2)
    await scenario.pass(2 * MINUTE_MS)
    expect(journals()).toHaveLength(1)
  })

  test('gets again also what a run ended that it has never heard of', async () => {
    const { world } = scenario
    const image = world.server.backUp()
    const third = await scenario.addMachine()
    const ended = await scenario.hold(third, UNLIMITED_TOKEN, 20)
    await scenario.settle(ended, 20)
    await scenario.pass(500)
    const running = await scenario.hold(third, UNLIMITED_TOKEN, 20)
    world.wasRestored = true
    world.server.restore(image)
    await scenario.pass(5000)
    await scenario.settle(running, 15)
    await scenario.pass(5000)
    expect(scenario.row(ended)).toMatchObject({ quota: 20, late: 1 })
    expect(scenario.row(running)).toMatchObject({ quota: 15 })
  })

  test.each([0, 1, 2, 3, 4, 5])(
    'loses no request of a run that it has never heard of, whenever its process dies (after %d writes)',
    async (writes) => {
      const { world } = scenario
      const image = world.server.backUp()
      const third = await scenario.addMachine()
      const open = await scenario.hold(third, UNLIMITED_TOKEN, 20)
      await scenario.pass(5000)
      const { process, disk } = scenario.nodeOf(third)
      disk.dieAfter(writes)
      world.wasRestored = true
      world.server.restore(image)
      await scenario.pass(5000)
      process.kill()
      await scenario.until(() => third.nodes.some(({ ledger }) => ledger !== null))
      expect(scenario.row(open)).toMatchObject({ outcome: 'void' })
    },
  )
})

describe('a copy of a living data folder', () => {
  test('voids nothing that its owner then charges, and charges nothing twice', async () => {
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

  test('does not make anybody forget what its owner wrote before it died', async () => {
    const running = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    one.isCut = true
    await scenario.addMachine(one.disk.copy())
    const later = await scenario.hold(one, UNLIMITED_TOKEN, 0)
    const open = await scenario.hold(one, UNLIMITED_TOKEN, 0)
    await scenario.settle(running, 60)
    await scenario.settle(later, 0)
    scenario.nodeOf(one).process.kill()
    one.isCut = false
    await scenario.until(() => one.nodes.some(({ ledger }) => ledger !== null))
    expect(scenario.row(running)).toMatchObject({ outcome: 'settled', quota: 60, late: 1 })
    expect(scenario.row(later)).toMatchObject({ outcome: 'settled', quota: 0 })
    expect(scenario.row(open)).toMatchObject({ outcome: 'void' })
  })

  test('does not make anybody forget what its owner had begun before it died', async () => {
    const copy = one.disk.copy()
    const open = await scenario.hold(one, UNLIMITED_TOKEN, 100)
    await scenario.pass(5000)
    one.isCut = true
    await scenario.addMachine(copy)
    scenario.nodeOf(one).process.kill()
    one.isCut = false
    await scenario.until(() => one.nodes.some(({ ledger }) => ledger !== null))
    expect(scenario.row(open)).toMatchObject({ outcome: 'void' })
  })
})
