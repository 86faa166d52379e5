import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runMatrix } from './matrix.ts'
import { runMembers } from './members/run.ts'
import { clientTables, dialectsPage, taskTables } from './page.ts'
import { runTasks } from './tasks/run.ts'
import { openMatrixWorld } from './world.ts'

const USAGE = `npm run clients -- [--write-docs]
  --write-docs  writes docs/reference/dialects.md from this run`

const PAGE = join(import.meta.dirname, '../../../docs/reference/dialects.md')

async function main(): Promise<number> {
  const options = {
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(USAGE)
    return 2
  }
  const world = await openMatrixWorld()
  try {
    const matrix = await runMatrix(world)
    console.log(clientTables(matrix))
    const tasks = await runTasks(world)
    console.log(taskTables(tasks))
    const members = await runMembers(world)
    if (values['write-docs']) writeFileSync(PAGE, dialectsPage({ matrix, tasks, members }))
    const outcomes: { type: string }[] = [
      ...matrix.flatMap((line) => line.outcomes),
      ...tasks.flatMap((line) => line.outcomes),
      ...members.flatMap(({ lines }) => lines).flatMap((line) => line.outcomes),
    ]
    const failed = outcomes.filter(({ type }) => type === 'failed').length
    console.log(`${outcomes.length - failed} of ${outcomes.length} as they should be`)
    return failed === 0 ? 0 : 1
  } finally {
    await world.close()
  }
}

process.exitCode = await main()
