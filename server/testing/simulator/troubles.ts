import { NO_FAULTS, SOME_FAULTS } from './commit-outcome.ts'
import type { Machine, Node } from './machine.ts'
import type { World } from './world.ts'

type Trouble = { weight: number; begin: (world: World) => void }

const MINUTE_MS = 60_000
/** Documented limit on how much of the journal a power cut may take. */
const UNSYNCED_MS_MAX = 50
const MACHINES_MAX = 6
/** Younger than the ten minutes for which journals keep applied records. */
const BACKUP_MS_MAX = 9 * MINUTE_MS
/** How far a standby may be behind: a batch or two of each node. */
const STANDBY_MS_MAX = 5000
const DAY_MS = 86_400_000

/** Troubles that leave nothing uncollected. */
const CALM_TROUBLES: Readonly<Record<string, Trouble>> = {
  kill: { weight: 10, begin: (world) => withNode(world, ({ process }) => process.kill()) },
  killWhileWriting: { weight: 4, begin: (world) => withNode(world, killWhileWriting(world)) },
  powerCut: { weight: 5, begin: (world) => withMachine(world, cutPower(world)) },
  restart: { weight: 4, begin: (world) => withNode(world, (node) => node.machine.restart(node)) },
  partition: { weight: 8, begin: (world) => withMachine(world, cutOff(world, 3 * MINUTE_MS)) },
  outage: { weight: 6, begin: (world) => stopServer(world, 3 * MINUTE_MS) },
  longOutage: { weight: 0.5, begin: (world) => stopServer(world, 25 * MINUTE_MS) },
  faults: { weight: 10, begin: beginFaults },
  slowness: { weight: 4, begin: slowDown },
  stop: { weight: 5, begin: (world) => withNode(world, stop(world, MINUTE_MS)) },
  sleep: { weight: 0.5, begin: stopAll },
  disk: { weight: 6, begin: (world) => withMachine(world, spoilDisk(world)) },
  clock: { weight: 4, begin: (world) => withMachine(world, setClock(world)) },
}

/** Also troubles that may, such as whatever makes peers close the epoch of a live process. */
const WILD_TROUBLES: Readonly<Record<string, Trouble>> = {
  ...CALM_TROUBLES,
  longStop: { weight: 1, begin: (world) => withNode(world, stop(world, 25 * MINUTE_MS)) },
  longPartition: { weight: 1, begin: (world) => withMachine(world, cutOff(world, 25 * MINUTE_MS)) },
  copy: { weight: 3, begin: startCopy },
  loss: { weight: 0.5, begin: loseMachine },
  deletedJournal: {
    weight: 2,
    begin: (world) => withMachine(world, (machine) => machine.deleteJournal()),
  },
  restore: { weight: 1, begin: (world) => restore(world, BACKUP_MS_MAX) },
  failover: { weight: 2, begin: (world) => restore(world, STANDBY_MS_MAX) },
}

export function beginTrouble(world: World) {
  const troubles = world.isCalm ? CALM_TROUBLES : WILD_TROUBLES
  const weights = Object.fromEntries(
    Object.entries(troubles).map(([name, { weight }]) => [name, weight]),
  )
  const name = world.random.weighted(weights)
  world.note(`trouble: ${name}`)
  troubles[name]?.begin(world)
}

export function endTroubles(world: World) {
  world.restoreTimer?.close()
  world.server.isDown = false
  world.rates = NO_FAULTS
  world.travelMsMax = 1
  for (const machine of world.machines) {
    machine.isCut = false
    machine.disk.heal()
    for (const { process } of machine.nodes) process.wake({ isPause: false })
  }
}

function withMachine(world: World, begin: (machine: Machine) => void) {
  const living = world.machines.filter(({ isGone }) => !isGone)
  if (living.length > 0) begin(world.random.pick(living))
}

function withNode(world: World, begin: (node: Node) => void) {
  if (world.nodes.length > 0) begin(world.random.pick(world.nodes))
}

const killWhileWriting = (world: World) => (node: Node) => {
  node.disk.dieAfter(world.random.int(0, 5))
}

/** Also covers processes that are already dead, which did not sync their last writes either. */
const cutPower = (world: World) => (machine: Machine) => {
  const unsyncedMs = machine.nature.syncAlways ? 0 : UNSYNCED_MS_MAX
  world.excuse('a power cut', ({ node, promisedAt, admittedAt }) => {
    const since = node.process.ranMs - unsyncedMs - machine.distrustedMs
    const isRecent = (moment: number | null) => moment !== null && moment >= since
    return node.machine === machine && (isRecent(promisedAt) || isRecent(admittedAt))
  })
  machine.cutPower()
}

const cutOff = (world: World, millisecondsMax: number) => (machine: Machine) => {
  machine.isCut = true
  world.timeline.after(world.random.skewed(100, millisecondsMax), () => {
    machine.isCut = false
  })
}

function stopServer({ server, timeline, random }: World, millisecondsMax: number) {
  server.isDown = true
  timeline.after(random.skewed(100, millisecondsMax), () => {
    server.isDown = false
  })
}

function beginFaults(world: World) {
  world.rates = SOME_FAULTS
  world.timeline.after(world.random.skewed(1000, 2 * MINUTE_MS), () => {
    world.rates = NO_FAULTS
  })
}

function slowDown(world: World) {
  const before = world.travelMsMax
  world.travelMsMax = world.random.skewed(50, 8000)
  world.timeline.after(world.random.skewed(1000, MINUTE_MS), () => {
    world.travelMsMax = before
  })
}

const stop =
  ({ timeline, random }: World, millisecondsMax: number) =>
  ({ process }: Node) => {
    process.stop()
    const isPause = random.chance(0.3)
    timeline.after(random.skewed(100, millisecondsMax), () => process.wake({ isPause }))
  }

/** Like closing the lid of a laptop; the processes wake one after the other. */
function stopAll(world: World) {
  const { timeline, random } = world
  const milliseconds = random.int(MINUTE_MS, 25 * MINUTE_MS)
  for (const { process } of world.nodes) {
    process.stop()
    timeline.after(milliseconds + random.int(0, 3000), () => process.wake({ isPause: false }))
  }
}

const spoilDisk =
  ({ timeline, random }: World) =>
  (machine: Machine) => {
    const { trouble } = machine.disk
    const name = random.pick(['isFull', 'isReadOnly', 'writesShort', 'failsToSync'] as const)
    trouble[name] = true
    machine.beginDistrust()
    timeline.after(random.skewed(10, MINUTE_MS), () => {
      machine.disk.heal()
      machine.endDistrust()
    })
  }

const setClock =
  ({ random }: World) =>
  (machine: Machine) => {
    machine.wall.aheadMs = random.chance(0.3) ? 0 : random.int(-2 * DAY_MS, 2 * DAY_MS)
  }

function startCopy(world: World) {
  if (world.machines.filter(({ isGone }) => !isGone).length >= MACHINES_MAX) return
  withMachine(world, ({ nature, disk }) => world.addMachine(nature, disk.copy()))
}

/** Never takes the last machine. */
function loseMachine(world: World) {
  const living = world.machines.filter(({ isGone }) => !isGone)
  if (living.length < 2) return
  const machine = world.random.pick(living)
  machine.lose()
}

function restore(world: World, ageMsMax: number) {
  const { server, timeline, random } = world
  const image = server.backUp()
  world.restoreTimer?.close()
  world.restoreTimer = timeline.after(random.skewed(10, ageMsMax), () => {
    server.whenFree(() => {
      world.note('the database is replaced by its backup')
      world.wasRestored = true
      for (const machine of world.machines) if (machine.hasLostFiles) machine.excuseAll()
      world.excuse('a disk that failed', ({ isOnlyInDatabase }) => isOnlyInDatabase)
      server.restore(image)
    })
  })
}
