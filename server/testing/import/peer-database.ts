import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inject } from 'vitest'
import { pg } from '../../src/store/pg.ts'
import { memoryFolder } from '../harness/memory-folder.ts'
import { createPostgresDatabase } from '../harness/postgres.ts'
import { startMariadb } from './mariadb.ts'
import { createTable, type Dialect, quote, type Tables } from './peer-tables.ts'

type Value = string | number | boolean | null

export type PeerRows = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>

/** A database of another gateway. */
export type PeerDatabase = {
  /** As `--from` names it. */
  readonly from: string
  readonly insert: (rows: PeerRows) => Promise<void>
  readonly run: (sql: string) => Promise<void>
  readonly close: () => Promise<void>
}

type Connection = {
  from: string
  run: (sql: string, values?: readonly Value[]) => Promise<void>
  close: () => Promise<void>
}

export async function openPeer(dialect: Dialect, tables: Tables): Promise<PeerDatabase> {
  const connection = await CONNECT[dialect]()
  const { run } = connection
  for (const [name, columns] of Object.entries(tables)) {
    await run(createTable(dialect, name, columns))
  }
  return {
    ...connection,
    insert: async (rows) => {
      for (const [table, list] of Object.entries(rows)) {
        for (const row of list) await insertRow(dialect, run, { table, row })
      }
    },
  }
}

type Insertion = { table: string; row: Readonly<Record<string, Value>> }

async function insertRow(dialect: Dialect, run: Connection['run'], { table, row }: Insertion) {
  const names = Object.keys(row).map((name) => quote(dialect, name))
  const marks = names.map((_, index) => (dialect === 'postgres' ? `$${index + 1}` : '?'))
  await run(
    `insert into ${quote(dialect, table)} (${names.join(', ')}) values (${marks.join(', ')})`,
    Object.values(row),
  )
}

const CONNECT: Readonly<Record<Dialect, () => Promise<Connection>>> = {
  sqlite: async () => {
    const folder = await mkdtemp(path.join(memoryFolder(), 'tollgate-peer-'))
    const from = path.join(folder, 'one-api.db')
    const database = new DatabaseSync(from)
    return {
      from,
      run: async (sql, values = []) => {
        const plain = values.map((value) => (typeof value === 'boolean' ? Number(value) : value))
        database.prepare(sql).run(...plain)
      },
      close: async () => {
        database.close()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
  postgres: async () => {
    const place = await createPostgresDatabase(inject('postgresUrl'))
    const client = new pg.Client({ connectionString: place.url })
    await client.connect()
    return {
      from: place.url,
      run: async (sql, values = []) => void (await client.query(sql, [...values])),
      close: async () => {
        await client.end()
        await place.drop()
      },
    }
  },
  mysql: startMariadb,
}
