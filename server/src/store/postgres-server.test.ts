import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { startPgbouncer } from '../../testing/fakes/pgbouncer.ts'
import { openPostgresTls } from '../../testing/fakes/postgres-tls.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { memoryFolder } from '../../testing/harness/memory-folder.ts'
import { createPostgresDatabase, findFreePort } from '../../testing/harness/postgres.ts'
import { startCuttingProxy } from '../../testing/ledger/cutting-proxy.ts'
import { type Connections, type Database, openDatabase } from './database.ts'
import { openNotifyBus } from './notify-bus.ts'

async function openPlace() {
  const place = await createPostgresDatabase(inject('postgresUrl'))
  atEnd(place.drop)
  return place.url
}

async function open(databaseUrl: string): Promise<Database> {
  const database = await openDatabase({ databaseUrl, dataDir: '/nowhere' })
  atEnd(database.close)
  return database
}

const countUsers = async ({ kysely }: Database) =>
  (await kysely.selectFrom('users').select('id').execute()).length

test('two schemas of a database hold two installations, which do not hear each other', async () => {
  const url = await openPlace()
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  atEnd(() => admin.end())
  const heard: string[][] = []
  const buses: Awaited<ReturnType<typeof openNotifyBus>>[] = []
  for (const schema of ['one', 'two']) {
    await admin.query(`create schema ${schema}`)
    const own = `${url}&options=-c%20search_path%3D${schema}`
    const database = await open(own)
    expect(await countUsers(database)).toBe(0)
    await sql`insert into options values ('SystemName', ${schema})`.execute(database.kysely)
    const bus = await openNotifyBus(database, own)
    atEnd(() => bus?.close())
    const texts: string[] = []
    heard.push(texts)
    bus?.onText((text) => texts.push(text))
    buses.push(bus)
  }
  await vi.waitFor(
    () => {
      buses[0]?.send('to one')
      buses[1]?.send('to two')
      expect(heard.map((texts) => [...new Set(texts)])).toEqual([['to one'], ['to two']])
    },
    { timeout: 5000 },
  )
  const names = await admin.query(
    'select value from one.options union all select value from two.options',
  )
  expect(names.rows).toEqual([{ value: 'one' }, { value: 'two' }])
})

test('of several hosts, the one that answers is used, also after it moves', async () => {
  const url = await openPlace()
  const proxies = [await startCuttingProxy(url), await startCuttingProxy(url)]
  for (const { close } of proxies) atEnd(close)
  const [first, second] = proxies
  if (first === undefined || second === undefined) throw new Error('a proxy is missing')
  const hosts = [first, second].map(({ databaseUrl }) => new URL(databaseUrl).host)
  const list = first.databaseUrl.replace(hosts[0] ?? '', hosts.join(','))
  first.sever()
  const database = await open(list)
  expect(await countUsers(database)).toBe(0)
  first.restore()
  second.sever()
  await vi.waitFor(async () => expect(await countUsers(database)).toBe(0), { timeout: 10_000 })
})

test('with no host that answers, the failure of a host is reported', async () => {
  const port = await findFreePort()
  const url = `postgres://u@127.0.0.1:${port},localhost:${port}/d`
  await expect(open(url)).rejects.toThrow('ECONNREFUSED')
})

test('sslmode means what it means to libpq', async () => {
  const plain = await openPlace()
  const tls = await openPostgresTls(plain)
  atEnd(tls.close)
  const folder = await mkdtemp(path.join(memoryFolder(), 'tollgate-ca-'))
  atEnd(() => rm(folder, { recursive: true }))
  const ca = path.join(folder, 'ca.pem')
  await writeFile(ca, tls.certificate)
  const isEncrypted = async (parameters: string) =>
    (await countUsers(await open(tls.urlWith(parameters)))) === 0
  expect(await isEncrypted('sslmode=require')).toBe(true)
  expect(await isEncrypted('sslmode=prefer')).toBe(true)
  expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${ca}`)).toBe(true)
  await expect(open(tls.urlWith('sslmode=verify-full'))).rejects.toThrow('self-signed')
  await expect(open(tls.urlWith('sslmode=verify-ca'))).rejects.toThrow('sslrootcert')
  const without = `${plain}&sslmode=`
  expect(await countUsers(await open(`${without}prefer`))).toBe(0)
  await expect(open(`${without}require`)).rejects.toThrow('does not support SSL')
})

test('the ledger prepares its statements, but not behind an unknown pooler', async () => {
  const direct = await openPlace()
  const isUnknown =
    'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout'
  const pooler = await startPgbouncer(direct, isUnknown)
  atEnd(pooler.close)
  const preparedAt = async (url: string) => {
    const { forLedger } = await open(url)
    const add = (key: string) =>
      forLedger.transaction(async (tx) => {
        await tx.insertInto('options').values({ key, value: '' }).execute()
        const { rows } = await sql<{ name: string }>`
          select name from pg_prepared_statements where ${1} = 1`.execute(tx)
        return rows.length
      })
    const counts: number[] = []
    for (let round = 0; round < 4; round += 1) {
      const keys = Array.from({ length: 10 }, (_, index) => `${url} ${round} ${index}`)
      counts.push(Math.max(...(await Promise.all(keys.map(add)))))
    }
    return counts.at(-1)
  }
  expect(await preparedAt(direct)).toBe(2)
  expect(await preparedAt(pooler.url)).toBe(0)
})

const limitsOf = (database: Connections) =>
  database.transaction(async (tx) => {
    const { rows } = await sql<{ statement: string; idle: string }>`
      select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(tx)
    return rows
  })

test('a node that is suspended in a batch blocks the others for ten seconds at most', async () => {
  const database = await open(await openPlace())
  expect(await limitsOf(database.forLedger)).toEqual([{ statement: '30s', idle: '10s' }])
  expect(await limitsOf(database)).toEqual([{ statement: '30s', idle: '30s' }])
})

test('a pooler in transaction mode works, and its transactions have time limits', async () => {
  const direct = await openPlace()
  const pooler = await startPgbouncer(direct)
  atEnd(pooler.close)
  const database = await open(pooler.url)
  expect(await limitsOf(database)).toEqual([{ statement: '30s', idle: '30s' }])
  expect(await limitsOf(database.forLedger)).toEqual([{ statement: '30s', idle: '10s' }])
  const outside = await sql<{ statement: string }>`
    select current_setting('statement_timeout') as statement`.execute(database.kysely)
  expect(outside.rows).toEqual([{ statement: '0' }])
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      database.change((tx) =>
        tx
          .insertInto('options')
          .values({ key: `k${index}`, value: '' })
          .execute(),
      ),
    ),
  )
  expect(results).toHaveLength(20)
})
