import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AGENTS } from './agents.ts'
import { DOUBLES } from './doubles.ts'
import { type Cell, runMatrix } from './matrix.ts'
import { agentsPage, agentTable, PAGE } from './page.ts'
import type { AgentRun } from './run-agent.ts'
import { openAgentWorld } from './world.ts'

const USAGE = `npm run agents -- [--only NAMES] [--double NAMES] [--session] [--record] [--write-docs] [--verbose]
  --only        agents, separated by commas: ${AGENTS.map(({ name }) => name).join(', ')}
  --double      vendors, separated by commas: ${DOUBLES.map(({ name }) => name).join(', ')}
  --session     runs long sessions: twenty turns, a picture, a summary, two models
  --record      writes what the agents have sent to relay/testing/tapes
  --write-docs  writes docs/reference/agents.md; needs a run of all pairs
  --verbose     prints what agents that fail have printed and requested`

const OPTIONS = {
  only: { type: 'string' },
  double: { type: 'string' },
  session: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
  'write-docs': { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const
const WRONG_USAGE = 2

/** Null if a name is unknown. */
function chosen<Row extends { name: string }>(rows: readonly Row[], names?: string) {
  if (names === undefined) return rows
  const wanted = names.split(',')
  const found = rows.filter(({ name }) => wanted.includes(name))
  return found.length === wanted.length ? found : null
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS })
  const agents = chosen(AGENTS, values.only)
  const doubles = chosen(DOUBLES, values.double)
  const isPart = values.only !== undefined || values.double !== undefined
  if (
    values.help ||
    agents === null ||
    doubles === null ||
    ((values['write-docs'] || values.record) && values.session) ||
    (values['write-docs'] && isPart)
  ) {
    console.log(USAGE)
    return WRONG_USAGE
  }
  const { record: records, session: isLong } = values
  const world = await openAgentWorld(isLong ? DOUBLES : doubles)
  try {
    const onCell = (cell: Cell, run?: AgentRun) => tell(cell, values.verbose ? run : undefined)
    const cells = await runMatrix(world, { agents, doubles, records, isLong }, onCell)
    console.log(`\n${agentTable(cells)}`)
    const { code, output } = await world.audit()
    console.log(output.trim())
    if (values['write-docs']) writeFileSync(PAGE, agentsPage(cells))
    return code === 0 && cells.every(({ outcome }) => outcome.type !== 'failed') ? 0 : 1
  } finally {
    await world.close()
  }
}

function tell({ agent, double, outcome, seconds }: Cell, run: AgentRun | undefined) {
  const reason = outcome.type === 'passed' ? '' : `: ${outcome.reason}`
  console.log(`${agent.title}, ${double.name}: ${outcome.type} in ${seconds} s${reason}`)
  if (outcome.type !== 'failed' || run === undefined) return
  console.log(run.output)
  for (const { method, path: at, status } of run.sent) console.log(`${method} ${at}: ${status}`)
  for (const refused of run.refused) console.log(refused)
}

process.exitCode = await main()
