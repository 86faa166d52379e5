import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Row } from '../../../other-gateways/row.ts'
import { ConfigurationError } from '../../../process/env.ts'
import { pg } from '../../../store/pg.ts'
import { PostgresServer } from '../../../store/postgres-server.ts'
import { reasonOf } from '../../open-for-command.ts'
import { openMysql } from './open-mysql.ts'
import type { Sql } from './sql.ts'
import { tablesOf } from './tables.ts'

/** Go's form of a MySQL address: `user:password@tcp(host:3306)/database?charset=utf8mb4`. */
const GO_DSN =
  /^(?<user>[^:@]*)(?::(?<password>.*))?@(?<net>tcp|unix)\((?<host>[^)]*)\)\/(?<database>[^?]*)/

/**
 * Opens the database that an address, a Go DSN or the path of an SQLite file names. A fault names
 * the option that holds it, since the import opens two databases or three.
 */
export async function openSql(option: '--from' | '--logs', from: string): Promise<Sql> {
  try {
    return await openAddress(from)
  } catch (error) {
    throw new ConfigurationError(`${option}: ${isInvalidUrl(error) ? INVALID : reasonOf(error)}`)
  }
}

const INVALID = 'this is no address; percent-encode special characters of the password.'

const isInvalidUrl = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_URL'

function openAddress(from: string): Promise<Sql> {
  if (/^postgres(?:ql)?:\/\//.test(from)) return openPostgres(from)
  if (from.startsWith('mysql://')) return openMysql(from)
  const { groups } = GO_DSN.exec(from) ?? {}
  if (groups !== undefined) {
    const { user = '', password = '', net, host = '', database = '' } = groups
    const [name = '127.0.0.1', port = '3306'] = host.split(':')
    const place = net === 'unix' ? { socketPath: host } : { host: name, port: Number(port) }
    return openMysql({ user, password, database, ...place })
  }
  if (from.includes('://')) {
    throw new ConfigurationError(
      'must be a file, or an address that begins with postgres:// or mysql://.',
    )
  }
  return openSqlite(from)
}

async function openSqlite(file: string): Promise<Sql> {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new ConfigurationError(`the file ${file} does not exist.`)
  if (!found.isFile()) throw new ConfigurationError(`${file} is not a file.`)
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec('begin')
    const statements = new Map<string, ReturnType<typeof database.prepare>>()
    const query = (text: string, parameters: readonly (string | number)[] = []): Row[] => {
      const statement = statements.get(text) ?? database.prepare(text)
      statements.set(text, statement)
      statement.setReadBigInts(false)
      try {
        return statement.all(...parameters)
      } catch (error) {
        if (!isOutOfRange(error)) throw error
        // Rows with a number that JavaScript does not represent exactly are rare.
        statement.setReadBigInts(true)
        return statement.all(...parameters)
      }
    }
    const columns = query(`select t.name as "table", c.name as "column" from sqlite_master t,
      pragma_table_info(t.name) c where t.type = 'table'`)
    return {
      kind: 'sqlite',
      query: async (text, parameters) => query(text, parameters),
      tables: tablesOf(columns),
      close: async () => database.close(),
    }
  } catch (error) {
    database.close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`${file} cannot be read: ${reason}.`)
  }
}

const isOutOfRange = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'

/** bigint, numeric, timestamp and timestamptz. */
const READ_AS_TEXT: ReadonlySet<number> = new Set([20, 1700, 1114, 1184])

/**
 * Numbers may be larger than the ledger allows, which the parsers of the ledger refuse. Dates
 * without a zone would be read in the zone of this machine.
 */
const types = {
  getTypeParser: (oid: number): ((text: string) => unknown) => {
    if (READ_AS_TEXT.has(oid)) return String
    // Safe because parsers take texts.
    return pg.types.getTypeParser(oid) as (text: string) => unknown
  },
}

async function openPostgres(address: string): Promise<Sql> {
  const server = PostgresServer.at(address)
  await server.choose()
  const client = server.client({ types })
  await client.connect()
  const query = async (text: string, parameters: readonly (string | number)[] = []) => {
    let count = 0
    const numbered = text.replaceAll('?', () => `$${++count}`)
    const result = await client.query<Row>(numbered, [...parameters])
    return result.rows
  }
  await client.query('begin isolation level repeatable read read only')
  const columns = await query(`select table_name as "table", column_name as "column"
    from information_schema.columns where table_schema = current_schema()`)
  return { kind: 'postgres', query, tables: tablesOf(columns), close: () => client.end() }
}
