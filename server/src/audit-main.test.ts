import { execFile } from 'node:child_process'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DATABASES, openTestDatabase } from '../testing/databases.ts'
import { claimDataFolder } from './store/data-folder.ts'
import { type Database, openDatabase } from './store/database.ts'

const AUDIT = path.join(import.meta.dirname, 'audit-main.ts')

type Ended = { code: number; output: string }

function runAudit(env: { DATA_DIR: string; DATABASE_URL?: string | undefined }): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  execFile(process.execPath, [AUDIT], { env }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
  )
  return promise
}

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

  const env = () => ({ DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl })

  test('the audit of a server that is running says how much it looked at', async () => {
    const folder = claimDataFolder(place.dataDir)
    expect(await runAudit(env())).toEqual({
      code: 0,
      output: 'audit: users and tokens: 1, differences: 0\n',
    })
    folder.release()
  })

  test('a difference is a line of its own, and the exit code is 1', async () => {
    await database.kysely.updateTable('users').set({ quota: 5 }).execute()
    const { code, output } = await runAudit(env())
    expect(code).toBe(1)
    expect(output).toBe(
      'user 1: quota against credits − charges: stored 5, computed 0\n' +
        'audit: users and tokens: 1, differences: 1\n',
    )
  })
})

test('a database that does not answer is one sentence and exit code 2', async () => {
  const place = await openTestDatabase('sqlite')
  const away = 'postgres://nobody@127.0.0.1:1/nothing'
  const unreachable = await runAudit({ DATA_DIR: place.dataDir, DATABASE_URL: away })
  expect(unreachable).toEqual({
    code: 2,
    output: 'audit: could not be done: connect ECONNREFUSED 127.0.0.1:1\n',
  })
  const missing = await runAudit({ DATA_DIR: place.dataDir })
  expect(missing.code).toBe(2)
  expect(missing.output).toMatch(/^audit: could not be done: DATA_DIR .* holds no database\.\n$/)
  await place.close()
})
