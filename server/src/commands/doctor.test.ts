import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ChaosWorld, openChaosWorld } from '../../testing/chaos/chaos-world.ts'
import { DATABASES, openEmptyDatabase, openTestDatabase } from '../../testing/harness/databases.ts'
import { findFreePort } from '../../testing/harness/postgres.ts'
import { runCommand } from '../../testing/harness/run-command.ts'

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
    expect(output).toContain('BAD     1 records of the ledger cannot be applied; run npm run audit')
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
