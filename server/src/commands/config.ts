import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createForOwnerOnly } from '../process/data-dir.ts'
import { ConfigurationError, readEnv } from '../process/env.ts'
import { applyFile } from './config/apply.ts'
import { exportFile } from './config/export-file.ts'
import { FileFaults } from './config/fault.ts'
import { jsonSchema } from './config/file-schema.ts'
import { readInstallation } from './config/installation.ts'
import { openTarget, type Target } from './config/open-target.ts'
import { makePlan, type Plan } from './config/plan.ts'
import { planJson, planLines } from './config/print-plan.ts'
import { readConfigFile } from './config/read-file.ts'
import { invocation } from './invocation.ts'
import { reasonOf } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

const FILE = 'tollgate.yaml'
const ARGUMENTS = 'validate|diff|apply|export|schema [FILE] [--prune] [--json] [--yes]'
const USE = `use: ${invocation('config', ARGUMENTS)}; --json is for diff, --yes for apply`
const FAULTY = 1
/** Nothing failed, and the installation differs from the file. */
const DIFFERENT = 2

type Options = { file: string; prune: boolean; json: boolean; yes: boolean }

class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed'
}

async function main() {
  const { positionals, values } = parseCommand(USE, {
    allowPositionals: true,
    options: {
      prune: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  })
  const [action = '', file = FILE, ...others] = positionals
  if (others.length > 0) throw new ConfigurationError(USE)
  const options = { file, ...values }
  switch (action) {
    case 'validate':
      readConfigFile(file)
      return console.log(`config: ${file} is valid`)
    case 'schema':
      return console.log(JSON.stringify(jsonSchema(), null, 2))
    case 'diff':
      return withTarget((target) => diff(target, options))
    case 'export':
      return withTarget((target) => exportTo(target, positionals[1]))
    case 'apply':
      return withTarget((target) => apply(target, options))
    default:
      throw new ConfigurationError(USE)
  }
}

async function withTarget(run: (target: Target) => Promise<void>) {
  createForOwnerOnly()
  const { target, close } = await openTarget(readEnv(process.env))
  try {
    await run(target)
  } finally {
    await close()
  }
}

async function diff(target: Target, { file: name, prune, json }: Options) {
  const { file, report } = readConfigFile(name)
  const installation = await target.database.snapshot((tx) => readInstallation(tx, target))
  const plan = makePlan(file, installation, { env: process.env, prunes: prune })
  if (plan.faults.length > 0) report(plan.faults)
  if (json) console.log(JSON.stringify(planJson(plan), null, 2))
  else {
    for (const line of planLines(plan)) console.log(line)
    console.log(`config: differences: ${plan.differences.length}`)
  }
  if (plan.differences.length > 0) process.exitCode = DIFFERENT
}

/** Prints the file unless it is named. Everything else goes to the other output. */
async function exportTo(target: Target, file: string | undefined) {
  const installation = await target.database.snapshot((tx) => readInstallation(tx, target))
  const { text, references, omitted } = exportFile(installation)
  if (file === undefined) console.log(text)
  else writeNew(file, text)
  for (const line of omitted) console.error(`left out: ${line}`)
  for (const [reference, what] of references) console.error(`to fill: ${reference}  ${what}`)
}

function writeNew(file: string, text: string) {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    const problem = exists ? 'exists already' : `cannot be written: ${reasonOf(error)}`
    throw new ConfigurationError(`the file ${file} ${problem}.`)
  }
}

async function apply(target: Target, { file: name, prune, yes }: Options) {
  const confirm = (plan: Plan) => {
    const deleted = plan.differences.filter(({ action }) => action === 'delete')
    if (deleted.length === 0 || yes) return
    for (const line of planLines(plan)) console.log(line)
    throw new NotConfirmed(
      `config: nothing was written; --yes deletes the channels marked with "-": ${deleted.length}`,
    )
  }
  const rules = { name: basename(name), env: process.env, prunes: prune, confirm }
  const plan = await applyFile(target, readConfigFile(name), rules)
  for (const line of planLines(plan, true)) console.log(line)
  console.log(`config: ${name} is applied, changes: ${plan.differences.length}`)
}

main().catch((error: unknown) => {
  if (error instanceof NotConfirmed) {
    console.error(error.message)
    process.exitCode = DIFFERENT
    return
  }
  if (error instanceof FileFaults) {
    for (const line of error.lines) console.error(line)
    console.error(`config: faults: ${error.lines.length}`)
  } else console.error(`config: could not be done: ${reasonOf(error)}`)
  process.exitCode = FAULTY
})
