import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createPostgresDatabase, startPostgres } from '../harness/postgres.ts'
import { openChaosWorld, type Place } from './chaos-world.ts'
import { type Chaos, killAgainAndAgain } from './kill-again-and-again.ts'

const USAGE = `npm run chaos -- [--kills N] [--database sqlite|URL]
  --kills     how often the server is killed -9 under load, on each database (1000)
  --database  sqlite, or the address of a PostgreSQL server, where a database is made and dropped;
              absent: SQLite, and then a PostgreSQL server that is started for it`

const OPTIONS = {
  kills: { type: 'string', default: '1000' },
  database: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const QUOTA = 1_000_000_000_000
const KILLS_PER_LINE = 50
const KILLS_MAX = 1_000_000

function tell(name: string, { kills, answered, broken, raised, unpaid }: Chaos) {
  console.log(
    `${name}: ${kills} kills, ${answered} answered, ${broken} broken off; each billed once, ` +
      `${raised} after a raise of the hold; ${unpaid} refused for lack of money`,
  )
}

async function runOn(name: string, place: Place, kills: number): Promise<boolean> {
  const world = await openChaosWorld(place, { quota: QUOTA, tokenQuota: QUOTA })
  try {
    const onKill = (chaos: Chaos) => chaos.kills % KILLS_PER_LINE === 0 && tell(name, chaos)
    const chaos = await killAgainAndAgain(world, { kills, main: MAIN, onKill })
    const faults = [
      ...chaos.wrong,
      ...[...chaos.refused].map(([text, count]) => `${count} times: ${text}`),
      ...(chaos.answered === 0 ? ['nothing was answered'] : []),
      ...(chaos.raised === 0 ? ['no hold was raised'] : []),
    ]
    for (const text of faults) console.log(`${name}: ${text}`)
    if (faults.length > 0) return false
    tell(name, chaos)
    console.log(`${name}: nothing is held, and the audit finds nothing`)
    return true
  } finally {
    await world.close()
  }
}

async function inFolder(run: (dataDir: string) => Promise<boolean>): Promise<boolean> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tollgate-chaos-'))
  try {
    return await run(dataDir)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

const onSqlite = (kills: number) =>
  inFolder((dataDir) => runOn('SQLite', { databaseUrl: undefined, dataDir }, kills))

async function onPostgres(serverUrl: string, kills: number): Promise<boolean> {
  const database = await createPostgresDatabase(serverUrl)
  try {
    return await inFolder((dataDir) =>
      runOn('PostgreSQL', { databaseUrl: database.url, dataDir }, kills),
    )
  } finally {
    await database.drop()
  }
}

async function onBoth(kills: number): Promise<boolean> {
  if (!(await onSqlite(kills))) return false
  const server = await startPostgres()
  try {
    return await onPostgres(server.url, kills)
  } finally {
    await server.stop()
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS })
  const kills = Number(values.kills)
  if (values.help || !Number.isInteger(kills) || kills < 1 || kills > KILLS_MAX) {
    console.log(USAGE)
    return 2
  }
  const { database } = values
  if (database === undefined) return (await onBoth(kills)) ? 0 : 1
  if (database === 'sqlite') return (await onSqlite(kills)) ? 0 : 1
  return (await onPostgres(database, kills)) ? 0 : 1
}

process.exitCode = await main()
