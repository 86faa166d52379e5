import { type Agent, AGENTS } from './agents.ts'
import type { DoubleServer } from './double-server.ts'
import { type Double, DOUBLES } from './doubles.ts'
import { expectationOf } from './expected.ts'
import { isInstalled, PACKAGES, versionOf } from './packages.ts'
import { type AgentRun, runAgent } from './run-agent.ts'
import { runSession } from './run-session.ts'
import { writeTape } from './tape.ts'
import type { AgentWorld } from './world.ts'

const AT_ONCE = 2

export type Outcome =
  | { readonly type: 'passed' }
  | { readonly type: 'refused' | 'known' | 'skipped' | 'failed'; readonly reason: string }

export type Cell = {
  readonly agent: Agent
  readonly double: Double
  readonly outcome: Outcome
  readonly seconds: number
}

type Options = {
  readonly agents: readonly Agent[]
  readonly doubles: readonly Double[]
  readonly records: boolean
  /** Long sessions, each with the double of another vendor in its middle. */
  readonly isLong: boolean
}

/** Runs every agent against every double: two runs at once, but never two of one double. */
export async function runMatrix(
  world: AgentWorld,
  { agents, doubles, records, isLong }: Options,
  onCell: (cell: Cell, run?: AgentRun) => void,
): Promise<Cell[]> {
  const serverOf = (wanted: Double) => {
    const server = world.doubles.find(({ double }) => double === wanted)
    if (server === undefined) throw new Error(`${wanted.name} does not run`)
    return server
  }
  const waiting = agents.flatMap((agent) =>
    doubles.map((double): Pair => {
      const other = isLong ? serverOf(partnerOf(agent, double)) : null
      return { agent, double: serverOf(double), other }
    }),
  )
  const busy = new Set<DoubleServer>()
  const cells: Cell[] = []
  const work = async () => {
    for (;;) {
      const isFree = (double: DoubleServer | null) => double === null || !busy.has(double)
      const index = waiting.findIndex(({ double, other }) => isFree(double) && isFree(other))
      const [next] = index < 0 ? [] : waiting.splice(index, 1)
      if (next === undefined) return
      const used = next.other === null ? [next.double] : [next.double, next.other]
      for (const double of used) busy.add(double)
      const cell = await runCell(world, next, { records, onCell })
      for (const double of used) busy.delete(double)
      cells.push(cell)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return cells
}

type Pair = {
  readonly agent: Agent
  readonly double: DoubleServer
  readonly other: DoubleServer | null
}

/** Five rows further, and more by agent, so that many vendors meet. */
const PARTNER_STEP = 5

/** The double of another vendor, which the agent gets on with. */
function partnerOf(agent: Agent, double: Double): Double {
  const first = DOUBLES.indexOf(double) + PARTNER_STEP + 2 * AGENTS.indexOf(agent)
  const found = DOUBLES.map((_, step) => DOUBLES[(first + step) % DOUBLES.length]).find(
    (other) =>
      other !== undefined &&
      other.title !== double.title &&
      expectationOf(agent, other, true) === undefined,
  )
  if (found === undefined) throw new Error(`no other vendor than ${double.name}`)
  return found
}

type Watch = { records: boolean; onCell: (cell: Cell, run?: AgentRun) => void }

async function runCell(
  world: AgentWorld,
  { agent, double, other }: Pair,
  { records, onCell }: Watch,
): Promise<Cell> {
  const pair = { agent, double: double.double }
  if (!isInstalled(agent.command(NOWHERE, ''))) {
    const outcome = { type: 'skipped', reason: `${agent.package} is not installed.` } as const
    const cell = { ...pair, outcome, seconds: 0 }
    onCell(cell)
    return cell
  }
  const given = { agent, double, packages: PACKAGES }
  const run = await (other === null
    ? runAgent(world, given)
    : runSession(world, { ...given, other }))
  const cell = { ...pair, outcome: outcomeOf(run, other !== null), seconds: run.seconds }
  onCell(cell, run)
  if (records && double.double.isTaped && cell.outcome.type === 'passed') {
    writeTape({ agent: agent.name, version: versionOf(agent), double: double.double.name }, run)
  }
  return cell
}

const NOWHERE = { url: '', key: '', model: '', models: [], home: '', work: '', packages: PACKAGES }

/** A pair that is expected to fail and passes is a failure too, so that the list shrinks. */
function outcomeOf({ agent, double, faults, refused }: AgentRun, isLong: boolean): Outcome {
  const expected = expectationOf(agent, double, isLong)
  const isRight = faults.length === 0
  if (expected === undefined) {
    if (isRight) return { type: 'passed' }
    return { type: 'failed', reason: [...faults, ...refused].join('; ') }
  }
  const { type, reason } = expected
  return isRight
    ? { type: 'failed', reason: `It passes, but is listed: ${reason}` }
    : { type, reason }
}
