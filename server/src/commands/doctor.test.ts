import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ChaosWorld, openChaosWorld } from '../../testing/chaos/chaos-world.ts'
import { DATABASES, openEmptyDatabase, openTestDatabase } from '../../testing/harness/databases.ts'
import { findFreePort } from '../../testing/harness/postgres.ts'
import { runCommand } from '../../testing/harness/run-command.ts'
import { openDatabase } from '../store/database.ts'

describe.each(DATABASES)('on %s', (kind) => {
  let place: Awaited<ReturnType<typeof openTestDatabase>>
  let world: ChaosWorld

  beforeEach(async () => {
    place = await openTestDatabase(kind)
    world = await openChaosWorld(place, { quota: 1 })
  })
  afterEach(async () => {
    await world.close()
    await place.close()
  })

  const doctor = () => runCommand('doctor', place)

  test('a sound installation has nothing bad, and its provider answers', async () => {
    writeFileSync(join(place.dataDir, 'secret-key'), 'a secret of the tests only\n', {
      mode: 0o600,
    })
    const { code, output } = await doctor()
    expect(output).toMatch(/doctor: bad: 0, warnings: \d\n$/)
    expect(code).toBe(0)
    expect(output).toMatch(/ok {6}http:\/\/\S+ accepts connections \(channels \d+\)/)
    expect(output).toContain('the secret key is in')
    if (kind === 'postgres') expect(output).toContain('this user may create tables')
  })

  test('what is wrong is named, with what to do', async () => {
    const key = join(place.dataDir, 'secret-key')
    writeFileSync(key, 'the key of another installation\n')
    chmodSync(key, 0o644)
    const { kysely } = world.database
    await kysely.insertInto('meta').values({ name: 'secret_key', value: 'other' }).execute()
    const fault = { run: 'r', position: 1, record: '{}', error: 'no such user', created_at: 1 }
    await kysely.insertInto('ledger_faults').values(fault).execute()
    await kysely
      .updateTable('channels')
      .set({ base_url: `http://127.0.0.1:${await findFreePort()}` })
      .execute()
    const { code, output } = await doctor()
    expect(code).toBe(1)
    expect(output).toContain(`BAD     other users of this machine can read ${key}: chmod 600 it`)
    expect(output).toContain('BAD     the database was written with another secret key')
    expect(output).toMatch(
      /BAD {5}1 records of the ledger cannot be applied; run (?:npm run|tollgate) audit/,
    )
    expect(output).toMatch(/warning http:\/\/127\.0\.0\.1:\d+ cannot be reached .*ECONNREFUSED/)
  })
})

test('a database of another version is not changed', async () => {
  const place = await openEmptyDatabase('sqlite')
  writeFileSync(join(place.dataDir, 'tollgate.db'), '')
  const { code, output } = await runCommand('doctor', place)
  expect(code).toBe(1)
  expect(output).toContain('BAD     the database cannot be used: its tables are not those of this')
  await place.close()
})

test('a database file that is none, and a journal that is missing, are named', async () => {
  const place = await openTestDatabase('sqlite')
  const world = await openChaosWorld(place, { quota: 1 })
  await world.database.kysely
    .insertInto('ledger_nodes')
    .values({ run: 'epoch-without-journal', label: 'n', started_at: 1 })
    .execute()
  expect((await runCommand('doctor', place)).output).toContain(
    'warning the database was copied from a running server without 1 of its journals',
  )
  await world.close()
  writeFileSync(join(place.dataDir, 'tollgate.db'), 'no database')
  for (const end of ['-wal', '-shm'])
    rmSync(join(place.dataDir, `tollgate.db${end}`), { force: true })
  const { code, output } = await runCommand('doctor', place)
  expect(code).toBe(1)
  expect(output).toContain('BAD     tollgate.db cannot be opened: file is not a database')
  await place.close()
})

test('a read-only database is bad', async () => {
  const place = await openTestDatabase('postgres')
  const database = await openDatabase(place)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
    database.kysely,
  )
  const name = sql.id(rows[0]?.name ?? '')
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(database.kysely)
  const { code, output } = await runCommand('doctor', place)
  await sql`alter database ${name} reset default_transaction_read_only`.execute(database.kysely)
  await database.close()
  expect(output).toContain('BAD     the database is read-only')
  expect(code).toBe(1)
  await place.close()
})
