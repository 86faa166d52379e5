import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { FakeClock } from '../../testing/fakes/fake-clock.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { createPostgresDatabase, findFreePort } from '../../testing/harness/postgres.ts'
import { startCuttingProxy } from '../../testing/ledger/cutting-proxy.ts'
import { connect } from './connect.ts'

const envOf = (databaseUrl: string, seconds = 60) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: '/nowhere',
  DATABASE_WAIT_SECONDS: seconds,
})

function collectWarnings() {
  const lines: string[] = []
  return { lines, log: { warn: (line: unknown) => void lines.push(String(line)) } }
}

test('a server that answers later is waited for, and the log says so twice', async () => {
  const place = await createPostgresDatabase(inject('postgresUrl'))
  atEnd(place.drop)
  const proxy = await startCuttingProxy(place.url)
  atEnd(proxy.close)
  proxy.sever()
  const clock = new FakeClock()
  const { lines, log } = collectWarnings()
  const connecting = connect({ env: envOf(proxy.databaseUrl), log, clock })
  await expect.poll(() => lines).toHaveLength(1)
  proxy.restore()
  const ticking = setInterval(() => void clock.advance(100), 10)
  const database = await connecting.finally(() => clearInterval(ticking))
  atEnd(database.close)
  expect(lines).toEqual([
    expect.stringMatching(/^the database does not answer: .*; the start waits up to 60 s$/),
    'the database answers; the start continues',
  ])
})

test('the wait is bounded', async () => {
  const clock = new FakeClock()
  const { lines, log } = collectWarnings()
  const port = await findFreePort()
  const connecting = connect({ env: envOf(`postgres://u@127.0.0.1:${port}/d`, 20), log, clock })
  const ticking = setInterval(() => void clock.advance(1000), 5)
  await expect(connecting.finally(() => clearInterval(ticking))).rejects.toThrow(
    /^DATABASE_URL: the database cannot be opened: connect ECONNREFUSED/,
  )
  expect(lines).toHaveLength(1)
})

test('a database that is not UTF-8 is refused by name and stays empty', async () => {
  const name = `latin_${process.pid}`
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  atEnd(() => admin.end())
  await admin.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
  atEnd(() => admin.query(`drop database ${name} with (force)`))
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  const { log } = collectWarnings()
  await expect(connect({ env: envOf(url.href), log })).rejects.toThrow(
    'DATABASE_URL: the database cannot be opened: its encoding is LATIN1 and must be UTF8.',
  )
  const latin = new pg.Client({ connectionString: url.href })
  await latin.connect()
  const { rows } = await latin.query(`select 1 from pg_tables where schemaname = 'public'`)
  await latin.end()
  expect(rows).toEqual([])
})

test.each([
  ['a database that does not exist', (url: URL) => void (url.pathname = '/none')],
  ['a user that does not exist', (url: URL) => void (url.username = 'nobody')],
])('%s ends the start at once', async (_name, spoil) => {
  const url = new URL(inject('postgresUrl'))
  spoil(url)
  const { lines, log } = collectWarnings()
  const connecting = connect({ env: envOf(url.href), log, clock: new FakeClock() })
  await expect(connecting).rejects.toThrow(
    /^DATABASE_URL: the database cannot be opened: .*exist\.$/,
  )
  expect(lines).toEqual([])
})

test.each([
  [
    'is no database',
    (file: string) => writeFileSync(file, 'no database'),
    'file is not a database',
  ],
  ['is a folder', (file: string) => mkdirSync(file), 'unable to open database file'],
])('a tollgate.db that %s is refused by name', async (_name, spoil, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-connect-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  spoil(join(folder, 'tollgate.db'))
  const env = { DATABASE_URL: undefined, DATA_DIR: folder, DATABASE_WAIT_SECONDS: 60 }
  await expect(connect({ env, log: collectWarnings().log })).rejects.toThrow(
    `DATA_DIR ${folder}: tollgate.db cannot be opened: ${reason}; restore a backup.`,
  )
})
