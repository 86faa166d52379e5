import type pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATION_NAMES } from '../../src/store/migrate-tables.ts'
import { checkAnswered, checkBooks } from '../chaos/checks.ts'
import { Clients } from '../chaos/clients.ts'
import { startPgbouncer } from '../fakes/pgbouncer.ts'
import { openEmptyDatabase } from '../harness/databases.ts'
import { leaveFormerDatabase } from '../harness/former-database.ts'
import { runServerToItsEnd, startServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { atEnd, newFolder, openAdmin, openNodeWorld } from './node-world.ts'

const FORMER = '0014-asked-of-credits'
/** The migrations after it change the sessions first. */
const [EARLY_TABLE, LATE_TABLE] = ['sessions', 'logs']

const historyOf = async (admin: pg.Client) => {
  const { rows } = await admin.query<{ name: string }>(
    'select name from kysely_migration order by 1',
  )
  return rows.map(({ name }) => name)
}

const waitingFor = (admin: pg.Client, locks: readonly string[]) =>
  waitUntil(async () => {
    const { rows } = await admin.query<{ what: string }>(
      `select coalesce(relation::regclass::text, locktype) as what from pg_locks
        where not granted and database = (select oid from pg_database where datname = current_database())
        order by 1`,
    )
    return rows.map(({ what }) => what).join() === locks.join()
  })

test('a start that is killed while it migrates leaves the old tables; of two nodes that start next, one migrates, also behind a pooler', async () => {
  const place = await openEmptyDatabase('postgres')
  atEnd(() => place.close())
  await leaveFormerDatabase(place, FORMER, async () => {})
  const databaseUrl = place.databaseUrl ?? ''
  const [admin, locker] = [await openAdmin(databaseUrl), await openAdmin(databaseUrl)]
  const former = await historyOf(admin)
  const variablesOf = async (DATABASE_URL: string) => ({
    DATABASE_URL,
    DATA_DIR: await newFolder(),
    SECRET_KEY: 'one key for all of them',
  })

  await locker.query(`begin; lock table ${LATE_TABLE}`)
  await runServerToItsEnd(await variablesOf(databaseUrl), async (stop) => {
    await waitingFor(admin, [LATE_TABLE])
    stop('SIGKILL')
  })
  // The server notices the lost connection once the statement has its lock.
  await locker.query('commit')
  await waitingFor(admin, [])
  expect(await historyOf(admin)).toEqual(former)

  await locker.query(`begin; lock table ${LATE_TABLE}`)
  const pooler = await startPgbouncer(databaseUrl)
  atEnd(() => pooler.close())
  const starting = [databaseUrl, pooler.url].map(async (url) => {
    const server = await startServer(await variablesOf(url))
    atEnd(() => server.stop('SIGKILL'))
    return server
  })
  await waitingFor(admin, ['advisory', LATE_TABLE])
  // The migration loses a deadlock, and is repeated.
  await locker.query(`set deadlock_timeout = '1h'`)
  await locker.query(`lock table ${EARLY_TABLE}`)
  await locker.query('commit')
  const servers = await Promise.all(starting)
  expect(await historyOf(admin)).toEqual(MIGRATION_NAMES)
  for (const server of servers) expect(await server.stop('SIGTERM')).toBe(0)
  const { rows } = await admin.query(`select 1 from pg_locks where locktype = 'advisory'`)
  expect(rows).toEqual([])
})

test('a migration waits for the running batch of a ledger before it locks what the batch needs', async () => {
  const place = await openEmptyDatabase('postgres')
  atEnd(() => place.close())
  await leaveFormerDatabase(place, BEFORE_ROLLUPS, (kysely) =>
    kysely.insertInto('ledger_nodes').values(NODE).execute(),
  )
  const databaseUrl = place.databaseUrl ?? ''
  const [admin, batch] = [await openAdmin(databaseUrl), await openAdmin(databaseUrl)]
  await batch.query('begin; update ledger_nodes set beat = beat + 1')
  const opening = openDatabase(place)
  await waitingFor(admin, ['ledger_nodes'])
  await batch.query('update rollups set quota = quota; commit')
  await (await opening).close()
  expect(await historyOf(admin)).toEqual(MIGRATION_NAMES)
})

/** The next migrations change the rollups. */
const BEFORE_ROLLUPS = '0033-managed-objects'
const NODE = { run: 'epoch', label: 'node', started_at: 1, closed_at: null, finished_at: null }

const TABLES = `select relname as name from pg_class where relkind in ('r', 'p')
  and not relispartition and relnamespace = current_schema::regnamespace
  and relname not like 'kysely%'`

/** Adds a column to every table, as a later version may. */
async function migrateToNextVersion(admin: pg.Client, needed: string) {
  const { rows } = await admin.query<{ name: string }>(TABLES)
  for (const { name } of rows) {
    await admin.query(`alter table ${name} add column of_next_version text not null default ''`)
  }
  await admin.query(`insert into kysely_migration values ('9999-next', '')`)
  await need(admin, needed)
}

const need = (admin: pg.Client, migration: string) =>
  admin.query(
    `insert into meta (name, value) values ('needed_migration', $1)
      on conflict (name) do update set value = $1`,
    [migration],
  )

/** Registers a user, which adds rows to several tables, and logs in. */
async function useConsole(url: string, username: string) {
  for (const verb of ['register', 'login']) {
    const body = JSON.stringify({ username, password: 'a long password' })
    const response = await fetch(`${url}/api/user/${verb}`, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ success: true })
  }
}

test('servers of this version serve while and after a newer version adds to their tables, and start on them until it changes them', async () => {
  const world = await openNodeWorld()
  const admin = await openAdmin(world.databaseUrl)
  const before = await world.startNode()
  const clients = new Clients(world.key)
  clients.url = before.url
  clients.start(6)
  await waitUntil(async () => clients.answered.size > 20)
  await migrateToNextVersion(admin, MIGRATION_NAMES.at(-1) ?? '')
  const migratedAt = clients.answered.size
  await waitUntil(async () => clients.answered.size > migratedAt + 20)
  await useConsole(before.url, 'first')

  const restarted = await world.startNode()
  clients.url = restarted.url
  expect(await before.stop('SIGTERM')).toBe(0)
  const movedAt = clients.answered.size
  await waitUntil(async () => clients.answered.size > movedAt + 20)
  await useConsole(restarted.url, 'second')
  await clients.stop()
  expect(await restarted.stop('SIGTERM')).toBe(0)
  expect([...clients.refused.keys()]).toEqual([])
  expect(await checkAnswered(world.database, clients.answered)).toEqual([])
  expect(await checkBooks(world.database)).toEqual([])

  await need(admin, '9999-next')
  const { code, output } = await runServerToItsEnd({
    ...world.variables,
    DATA_DIR: await newFolder(),
  })
  expect(code).toBe(1)
  expect(output).toMatch(/^DATABASE_URL: .* its tables are of a newer version that changed/)
})
