import { sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import { openFaults } from '../../ledger/apply/resolve-faults.ts'
import { journalFolder } from '../../ledger/journal/epoch-files.ts'
import { fileDisk } from '../../ledger/journal/file-disk.ts'
import { listEpochs } from '../../ledger/journal/reader.ts'
import { lostJournalsText, unfinishedWithoutJournal } from '../../process/lost-journals.ts'
import { readFingerprint } from '../../process/secret-key-check.ts'
import { deriveSecrets } from '../../secrets.ts'
import { secondsAhead } from '../../store/clock.ts'
import type { Database } from '../../store/database.ts'
import { invocation } from '../invocation.ts'
import { bad, type Finding, ok, warning } from './finding.ts'

/** Codes and links live for ten minutes. */
const CLOCK_SECONDS_MAX = 30
const POSTGRES_MIN = 120_000
const BACKEND_TRIES = 5
const DAY_SECONDS = 86_400

type Task = { database: Database; dataDir: string; secretKey: string | undefined; now: Seconds }

export async function checkDatabase({ database, dataDir, secretKey, now }: Task) {
  const findings: Finding[] = [ok('the database answers, and its tables are those of this version')]
  if (database.kind === 'postgres') findings.push(...(await checkPostgres(database)))
  findings.push(
    ...(await checkKey(database, secretKey)),
    await checkFaults(database),
    await checkJournals(database, dataDir),
    ...(await checkLostJournals(database, dataDir)),
    ...(await checkFeeds(database, now)),
  )
  return findings
}

async function checkPostgres(database: Database): Promise<Finding[]> {
  const { kysely } = database
  const { rows } = await sql<{
    version: number
    mayCreate: boolean
    mayCreateTemporary: boolean
    isReadOnly: boolean
    schema: string
  }>`
    select current_setting('server_version_num')::int as version,
      has_schema_privilege(current_schema(), 'CREATE') as "mayCreate",
      has_database_privilege(current_database(), 'TEMPORARY') as "mayCreateTemporary",
      current_setting('transaction_read_only') = 'on' as "isReadOnly",
      current_schema() as schema`.execute(kysely)
  const [server] = rows
  if (server === undefined) throw new Error('the database returned no row')
  const ahead = await secondsAhead(database, Date.now)
  return [
    server.version >= POSTGRES_MIN
      ? ok(`PostgreSQL ${Math.floor(server.version / 10_000)}`)
      : bad('PostgreSQL is older than 12; update it'),
    server.isReadOnly
      ? bad('the database is read-only: a standby, or default_transaction_read_only is on')
      : ok('the database accepts writes'),
    server.mayCreate
      ? ok(`this user may create tables in the schema ${server.schema}`)
      : bad(`this user may not create tables in ${server.schema}; updates need that right`),
    server.mayCreateTemporary
      ? ok('this user may create temporary tables')
      : warning('this user may not create temporary tables; npm run import needs that right'),
    Math.abs(ahead) <= CLOCK_SECONDS_MAX
      ? ok('the clocks of this machine and the database agree')
      : warning(`the clocks differ by ${Math.abs(ahead)} s; use NTP on both machines`),
    await checkPooler(database),
  ]
}

/** A pooler in transaction mode gives each statement another connection. */
async function checkPooler({ kysely }: Database): Promise<Finding> {
  const backends = await kysely.connection().execute(async (connection) => {
    const found = new Set<number>()
    for (let tried = 0; tried < BACKEND_TRIES; tried += 1) {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
        connection,
      )
      for (const { pid } of rows) found.add(pid)
    }
    return found.size
  })
  return backends === 1
    ? ok('the connection is not pooled per transaction')
    : warning(
        'DATABASE_URL leads to a pooler in transaction mode: nodes hear of each other later; prefer the address of the server',
      )
}

async function checkKey({ kysely }: Database, secretKey: string | undefined): Promise<Finding[]> {
  const fingerprint = await readFingerprint(kysely)
  if (fingerprint === undefined || secretKey === undefined) return []
  return deriveSecrets(secretKey).fingerprint === fingerprint
    ? [ok('the secret key opens this database')]
    : [bad('the database was written with another secret key; start with that one')]
}

async function checkFaults(database: Database): Promise<Finding> {
  const faults = await openFaults(database)
  return faults.length === 0
    ? ok('no record of the ledger waits for you')
    : bad(`${faults.length} records of the ledger cannot be applied; run ${invocation('audit')}`)
}

async function checkJournals({ kysely }: Database, dataDir: string): Promise<Finding> {
  const epochs = listEpochs(fileDisk, journalFolder(dataDir))
  const rows = await kysely.selectFrom('ledger_nodes').select('run').execute()
  const known = new Set(rows.map(({ run }) => run))
  const unknown = epochs.filter((epoch) => !known.has(epoch))
  return unknown.length === 0
    ? ok(`journals: ${epochs.length}`)
    : warning(
        `this database does not know ${unknown.length} of ${epochs.length} journals; the next start applies them`,
      )
}

async function checkLostJournals(database: Database, dataDir: string): Promise<Finding[]> {
  const lost = await unfinishedWithoutJournal(database, dataDir)
  return lost === 0 ? [] : [warning(lostJournalsText(lost, dataDir))]
}

async function checkFeeds({ kysely }: Database, now: Seconds): Promise<Finding[]> {
  const feeds = await kysely
    .selectFrom('price_feeds')
    .select(['name', 'read_at', 'stale_days'])
    .execute()
  return feeds.map(({ name, read_at, stale_days }) => {
    if (read_at === 0) return warning(`price feed ${name} has never been read`)
    const days = Math.floor((now - read_at) / DAY_SECONDS)
    const text = `price feed ${name} was read ${days} days ago`
    return days > stale_days ? warning(`${text}; update it under Settings, Model prices`) : ok(text)
  })
}
