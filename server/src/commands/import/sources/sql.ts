import type { Row } from '../../../other-gateways/row.ts'

/** A database of another gateway, read in one snapshot. */
export type Sql = {
  readonly kind: 'sqlite' | 'mysql' | 'postgres'
  /** `?` stands for a parameter. */
  readonly query: (text: string, parameters?: readonly (string | number)[]) => Promise<Row[]>
  /** Columns by table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  readonly close: () => Promise<void>
}

export const quoted = ({ kind }: Pick<Sql, 'kind'>, name: string) =>
  kind === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`

const PAGE_ROWS = 5000

type Table = {
  readonly table: string
  readonly columns: readonly string[]
  readonly after?: string
  /** SQL that limits the rows. */
  readonly where?: string
  readonly pageRows?: number
}

/**
 * Pages of rows in order of their numeric id. Columns that this version of the table lacks are
 * absent from the rows.
 */
export async function* readTable(
  sql: Sql,
  { table, columns, after = '0', where = '1 = 1', pageRows = PAGE_ROWS }: Table,
): AsyncGenerator<Row[]> {
  const known = sql.tables.get(table)
  if (known === undefined) return
  const list = ['id', ...columns].filter((name) => known.has(name)).map((name) => quoted(sql, name))
  const text = `select ${list.join(', ')} from ${quoted(sql, table)}
    where id > ? and ${where} order by id limit ${pageRows}`
  for (let last = after; ;) {
    const rows = await sql.query(text, [last])
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows
    last = String(end['id'])
  }
}
