import type { Row } from '../../../other-gateways/row.ts'
import type { Sql } from './sql.ts'
import { tablesOf } from './tables.ts'

type Place = {
  readonly user: string
  readonly password: string
  readonly database: string
  readonly host?: string
  readonly port?: number
  readonly socketPath?: string
}

const OPTIONS = {
  charset: 'utf8mb4',
  dateStrings: true,
  supportBigNumbers: true,
  bigNumberStrings: false,
} as const

/** The driver is loaded here alone: only an import from MySQL or MariaDB needs it. */
export async function openMysql(place: string | Place): Promise<Sql> {
  const { createConnection } = await import('mysql2/promise')
  const where = typeof place === 'string' ? { uri: place } : place
  const connection = await createConnection({ ...where, ...OPTIONS })
  const query = async (text: string, parameters: readonly (string | number)[] = []) => {
    const [rows] = await connection.query(text, [...parameters])
    return rows as Row[] // safe because only select statements are sent
  }
  await connection.query('set transaction isolation level repeatable read')
  await connection.query('start transaction with consistent snapshot, read only')
  const columns = await query(`select table_name as \`table\`, column_name as \`column\`
    from information_schema.columns where table_schema = database()`)
  return {
    kind: 'mysql',
    query,
    tables: tablesOf(columns),
    close: () => connection.end(),
  }
}
