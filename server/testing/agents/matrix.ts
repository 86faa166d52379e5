import type { Agent } from './agents.ts'
import type { DoubleServer } from './double-server.ts'
import type { Double } from './doubles.ts'
import { expectationOf } from './expected.ts'
import { isInstalled, PACKAGES, versionOf } from './packages.ts'
import { type AgentRun, runAgent } from './run-agent.ts'
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

type Options = { readonly agents: readonly Agent[]; readonly records: boolean }

/** Runs every agent against every double: two runs at once, but never two of one double. */
export async function runMatrix(
  world: AgentWorld,
  { agents, records }: Options,
  onCell: (cell: Cell, run?: AgentRun) => void,
): Promise<Cell[]> {
  const waiting = agents.flatMap((agent) => world.doubles.map((double) => ({ agent, double })))
  const busy = new Set<DoubleServer>()
  const cells: Cell[] = []
  const work = async () => {
    for (;;) {
      const index = waiting.findIndex(({ double }) => !busy.has(double))
      const [next] = index < 0 ? [] : waiting.splice(index, 1)
      if (next === undefined) return
      busy.add(next.double)
      const cell = await runCell(world, next, { records, onCell })
      busy.delete(next.double)
      cells.push(cell)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return cells
}

type Pair = { readonly agent: Agent; readonly double: DoubleServer }
type Watch = { records: boolean; onCell: (cell: Cell, run?: AgentRun) => void }

async function runCell(
  world: AgentWorld,
  { agent, double }: Pair,
  { records, onCell }: Watch,
): Promise<Cell> {
  const pair = { agent, double: double.double }
  if (!isInstalled(agent.command(NOWHERE, ''))) {
    const outcome = { type: 'skipped', reason: `${agent.package} is not installed.` } as const
    const cell = { ...pair, outcome, seconds: 0 }
    onCell(cell)
    return cell
  }
  const run = await runAgent(world, { agent, double, packages: PACKAGES })
  const cell = { ...pair, outcome: outcomeOf(run), seconds: run.seconds }
  onCell(cell, run)
  if (records && double.double.isTaped && cell.outcome.type === 'passed') {
    writeTape({ agent: agent.name, version: versionOf(agent), double: double.double.name }, run)
  }
  return cell
}

const NOWHERE = { url: '', key: '', model: '', home: '', work: '', packages: PACKAGES }

/** A pair that is expected to fail and passes is a failure too, so that the list shrinks. */
function outcomeOf({ agent, double, faults, refused }: AgentRun): Outcome {
  const expected = expectationOf(agent, double)
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
