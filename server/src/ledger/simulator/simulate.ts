import { checkEnd, Watch } from './checks.ts'
import { beginEdit } from './edits.ts'
import { beginTrouble, endTroubles } from './troubles.ts'
import { World, type WorldOptions } from './world.ts'

export type Result = {
  seed: number
  /** How many steps were taken. */
  steps: number
  requests: number
  /** What is not as the ledger's invariants have it; empty when all is well. */
  wrong: string[]
  /** What happened last. */
  notes: string[]
}

const MACHINES = 3
const STEP_MS_MAX = 2500
/** All that is pending is applied by then, and each process that died has been started again. */
const HEALED_MS = 45_000
/** After it runs whose journal is lost, or was never begun, are closed by the others. */
const ABANDONED_MS = 18 * 60_000
const CLOSED_MS = 30_000

/** Lets so much happen, heals all, and looks whether everything was right at any time. */
export async function simulate(options: WorldOptions & { steps: number }): Promise<Result> {
  const world = await World.open(options)
  world.addMachines(MACHINES)
  const watch = new Watch(world)
  const result = (steps: number, wrong: string[]): Result => {
    const { seed, requests, notes } = world
    return { seed, steps, requests: requests.size, wrong: wrong.slice(0, 20), notes }
  }
  for (let step = 1; step <= options.steps; step++) {
    takeStep(world)
    await world.timeline.advance(world.random.skewed(1, STEP_MS_MAX))
    const wrong = watch.look()
    if (wrong.length > 0) return result(step, wrong)
  }
  await heal(world)
  return result(options.steps, await checkEnd(world))
}

function takeStep(world: World) {
  const { random } = world
  for (let requests = random.int(0, 4); requests > 0; requests--) world.sendRequest()
  if (random.chance(0.1)) beginEdit(world)
  if (random.chance(0.08)) beginTrouble(world)
}

/** Ends all troubles, and then all processes in order. */
export async function heal(world: World) {
  endTroubles(world)
  world.note('all is healed')
  await world.timeline.advance(HEALED_MS)
  for (const node of world.nodes) node.machine.restart(node)
  await world.timeline.advance(HEALED_MS)
  const [row] = world.server.ask<{ open: number }>(
    'select count(*) as open from ledger_nodes where closed_at is null',
  )
  const serving = world.nodes.filter(({ ledger }) => ledger !== null)
  if ((row?.open ?? 0) > serving.length) await world.timeline.advance(ABANDONED_MS)
  for (const machine of world.machines) machine.close()
  await world.timeline.advance(CLOSED_MS)
}
