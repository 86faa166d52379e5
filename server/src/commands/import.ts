import { audit } from '../ledger/audit/audit.ts'
import { createForOwnerOnly } from '../process/data-dir.ts'
import { ConfigurationError, readEnv } from '../process/env.ts'
import { compareLogs } from './import/compare-logs.ts'
import type { ImportContext } from './import/context.ts'
import { openTarget } from './import/open-target.ts'
import { runImport } from './import/run-import.ts'
import { openSource } from './import/sources/open-source.ts'
import type { Source } from './import/sources/source.ts'
import { invocation } from './invocation.ts'
import { reasonOf } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

const ARGUMENTS =
  '--from ADDRESS-OR-FILE [--logs ADDRESS-OR-FILE] [--name NAME] [--dry-run] [--compare-logs [--since DAY] [--until DAY]]'
const NAME = /^[\w.-]{1,50}$/

async function main() {
  const use = `use: ${invocation('import', ARGUMENTS)}`
  const { values } = parseCommand(use, {
    options: {
      from: { type: 'string', multiple: true, default: [] },
      logs: { type: 'string' },
      name: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'compare-logs': { type: 'boolean', default: false },
      since: { type: 'string' },
      until: { type: 'string' },
    },
  })
  if (values.from.length === 0) {
    throw new ConfigurationError(use)
  }
  if (values.name !== undefined && !NAME.test(values.name)) {
    throw new ConfigurationError('--name must have 1 to 50 letters, digits, "_", "." and "-".')
  }
  createForOwnerOnly()
  const env = readEnv(process.env)
  const topics: [string, string][] = []
  const { from, logs } = values
  const source = await openSource(
    { from, logs },
    (topic, detail) => void topics.push([topic, detail]),
  )
  try {
    const name = values.name ?? source.product.toLowerCase().replaceAll(' ', '-')
    const isComparison = values['compare-logs']
    const isDryRun = values['dry-run'] || isComparison
    const { context, close } = await openTarget(env, { name, isDryRun })
    try {
      if (isComparison) await printComparison(context, source, values)
      else await runAndReport(context, source, topics)
    } finally {
      await close()
    }
  } finally {
    await source.close()
  }
}

type Days = { since?: string; until?: string }

async function printComparison(context: ImportContext, source: Source, { since, until }: Days) {
  const period = {
    since: since === undefined ? 0 : secondsOf('--since', since),
    until: until === undefined ? Infinity : secondsOf('--until', until),
  }
  for (const line of await compareLogs(context, source, period)) console.log(line)
}

function secondsOf(option: string, day: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time))
    throw new ConfigurationError(`${option} must be a day such as 2026-11-20.`)
  return time / 1000
}

async function runAndReport(context: ImportContext, source: Source, topics: [string, string][]) {
  const startedAt = performance.now()
  const { report, isDryRun, name } = context
  await runImport(context, source)
  for (const [topic, detail] of topics) report.tell(topic, detail)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`import: ${source.product} as ${name}, ${seconds} s${isDryRun ? ', dry run' : ''}`)
  for (const line of report.lines()) console.log(line)
  if (isDryRun) return console.log('import: nothing was written')
  const differences = await audit(context.database)
  console.log(`import: the audit finds ${differences.length} differences`)
  if (differences.length > 0) process.exitCode = 1
}

main().catch((error: unknown) => {
  console.error(`import: could not be done: ${reasonOf(error)}`)
  process.exitCode = 1
})
