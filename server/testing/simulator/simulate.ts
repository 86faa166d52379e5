import { checkEnd, Watch } from './checks.ts'
import { beginEdit } from './edits.ts'
import { beginTrouble, endTroubles } from './troubles.ts'
import { World, type WorldOptions } from './world.ts'

export type Result = {
  seed: number
  steps: number
  requests: number
  /** Violations of the ledger's invariants; empty if there are none. */
  wrong: string[]
  notes: string[]
}

const MACHINES = 3
const STEP_MS_MAX = 2500
/** By then everything pending is applied, and every process that died has been restarted. */
const HEALED_MS = 45_000
/** By then peers have closed the epochs whose journal is lost or was never begun. */
const ABANDONED_MS = 18 * 60_000
const CLOSED_MS = 30_000

/** Runs the steps, heals everything, and checks the invariants after each step and at the end. */
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
