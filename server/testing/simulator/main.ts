import { parseArgs } from 'node:util'
import { BROKEN_RULES } from './broken-rules.ts'
import { describeRegions, simulateRegions } from './regions.ts'
import { type Result, simulate } from './simulate.ts'

const DAY_MS = 86_400_000
const SEEDS = 20
/** Each day has seeds of its own. */
const FIRST_SEED = Math.floor(Date.now() / DAY_MS) * SEEDS

const NODES_PER_REGION = 10
const PHASE_SECONDS = 60

const USAGE = `npm run ledger:sim -- [--seed N] [--seeds K] [--steps M] [--calm] [--break RULE]
npm run ledger:sim -- --regions [--seed N]
  --seed, --seeds  the first seed, and how many one after the other (seeds of the day, ${SEEDS})
  --steps          of each (1000)
  --calm           nothing happens that may leave a cost uncollected, and none may be
  --regions        50 nodes in five regions, before, during and after one is cut off
  --break          puts a naive rule in the place of ours: ${Object.keys(BROKEN_RULES).join(', ')}`

const OPTIONS = {
  seed: { type: 'string', default: String(FIRST_SEED) },
  seeds: { type: 'string', default: String(SEEDS) },
  steps: { type: 'string', default: '1000' },
  calm: { type: 'boolean', default: false },
  regions: { type: 'boolean', default: false },
  break: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const NUMBER_MAX = 1_000_000_000

function readNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= NUMBER_MAX) return value
  throw new RangeError(`--${name} ${text} is no number from 0 to ${NUMBER_MAX}`)
}

function readArguments() {
  const { values } = parseArgs({ options: OPTIONS })
  const rules = new Map(Object.entries(BROKEN_RULES))
  const makeBroken = values.break === undefined ? () => ({}) : rules.get(values.break)
  if (values.help || makeBroken === undefined) return null
  return {
    first: readNumber('seed', values.seed),
    count: readNumber('seeds', values.seeds),
    steps: readNumber('steps', values.steps),
    isCalm: values.calm,
    hasRegions: values.regions,
    makeBroken,
  }
}

function tell({ seed, steps, requests, wrong, notes }: Result) {
  if (wrong.length === 0) return console.log(`seed ${seed}: ${steps} steps, ${requests} requests`)
  console.log(notes.join('\n'))
  console.log(`seed ${seed}, step ${steps}: violated\n${wrong.join('\n')}`)
}

async function runRegions(seed: number): Promise<number> {
  const sizes = { nodesPerRegion: NODES_PER_REGION, seconds: PHASE_SECONDS }
  const result = await simulateRegions({ seed, ...sizes })
  console.log(describeRegions(result))
  console.log(result.wrong.length === 0 ? '\nno violation' : result.wrong.join('\n'))
  return result.wrong.length === 0 ? 0 : 1
}

async function main(): Promise<number> {
  const given = readArguments()
  if (given === null) {
    console.log(USAGE)
    return 2
  }
  const { first, count, steps, isCalm, hasRegions, makeBroken } = given
  if (hasRegions) return runRegions(first)
  for (let seed = first; seed < first + count; seed++) {
    const result = await simulate({ seed, steps, isCalm, broken: makeBroken() })
    tell(result)
    if (result.wrong.length > 0) return 1
  }
  console.log(`${count} seeds, ${count * steps} steps, no violation`)
  return 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof RangeError ? error.message : error)
    process.exitCode = 2
  },
)
