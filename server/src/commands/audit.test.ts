import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DATABASES, openEmptyDatabase, openTestDatabase } from '../../testing/harness/databases.ts'
import { runCommand } from '../../testing/harness/run-command.ts'
import { claimDataFolder } from '../store/data-folder.ts'
import { type Database, openDatabase } from '../store/database.ts'

describe.each(DATABASES)('on %s', (kind) => {
  let place: Awaited<ReturnType<typeof openTestDatabase>>
  let database: Database

  beforeEach(async () => {
    place = await openTestDatabase(kind)
    database = await openDatabase(place)
    await database.kysely
      .insertInto('users')
      .values({
        username: 'alice',
        password_hash: '',
        display_name: '',
        role: 1,
        status: 1,
        email: '',
        github_id: '',
        wechat_id: '',
        access_token_hash: null,
        group: 'default',
        aff_code: 'alice',
        inviter_id: 0,
        created_time: 0,
      })
      .execute()
  })

  afterEach(async () => {
    await database.close()
    await place.close()
  })

  test('the audit of a running server prints what it checked', async () => {
    const folder = claimDataFolder(place.dataDir)
    expect(await runCommand('audit', place)).toEqual({
      code: 0,
      output: 'audit: users and tokens: 1, differences: 0\n',
    })
    folder.release()
  })

  test('each difference is a line, and the exit code is 1', async () => {
    await database.kysely.updateTable('users').set({ quota: 5 }).execute()
    const { code, output } = await runCommand('audit', place)
    expect(code).toBe(1)
    expect(output).toBe(
      'user 1: quota against credits − charges: stored 5, computed 0\n' +
        'audit: users and tokens: 1, differences: 1\n',
    )
  })

  test('a fault is shown until it is resolved', async () => {
    const fault = { record: '{"user":1}', error: 'no such user', created_at: 1_700_000_000 }
    const rows = ['first', 'second'].map((run) => ({ ...fault, run, position: 7 }))
    await database.kysely.insertInto('ledger_faults').values(rows).execute()
    const shownOf = (epoch: string) =>
      `fault of epoch ${epoch} at 7, 2023-11-14T22:13:20.000Z: no such user\n  {"user":1}\n`
    const resolvedOf = (epoch: string) => `resolved: ${shownOf(epoch)}audit: faults resolved: 1\n`
    const before = await runCommand('audit', place)
    expect(before.code).toBe(1)
    expect(before.output).toContain(
      `${shownOf('first')}${shownOf('second')}audit: users and tokens: 1, differences: 2\n`,
    )
    const first = await runCommand('audit', place, '--resolve', 'first')
    expect(first.code).toBe(1)
    const [seen, others] = first.output.split('resolved: 1\n')
    expect(`${seen}resolved: 1\n`).toBe(resolvedOf('first'))
    expect(others).not.toContain(shownOf('first'))
    expect(await runCommand('audit', place, '--resolve', 'second')).toEqual({
      code: 0,
      output: `${resolvedOf('second')}audit: users and tokens: 1, differences: 0\n`,
    })
  })

  test('an epoch without an open fault is named, and the exit code is 1', async () => {
    expect(await runCommand('audit', place, '--resolve', 'mistyped')).toEqual({
      code: 1,
      output: 'audit: prints no fault of epoch mistyped, so none was resolved\n',
    })
  })
})

test('an unreachable database is one sentence and exit code 2', async () => {
  const place = await openEmptyDatabase('sqlite')
  const away = 'postgres://nobody@127.0.0.1:1/nothing'
  const unreachable = await runCommand('audit', { ...place, databaseUrl: away })
  expect(unreachable).toEqual({
    code: 2,
    output: 'audit: could not be done: connect ECONNREFUSED 127.0.0.1:1\n',
  })
  const missing = await runCommand('audit', place)
  expect(missing.code).toBe(2)
  expect(missing.output).toMatch(/^audit: could not be done: DATA_DIR .* holds no database\.\n$/)
  await place.close()
})
