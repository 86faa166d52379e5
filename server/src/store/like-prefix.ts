import { sql } from 'kysely'

/** Wildcards in `text` match literally. */
export function beginsWith(column: string, text: string) {
  const pattern = `${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}

/**
 * Whether one of the columns contains the text, in any case of Latin letters; PostgreSQL folds all
 * letters. The database folds both sides, because SQLite leaves letters outside of ASCII as they
 * are. The columns are joined by a line break, because `lower` is the cost of a search that reads a
 * whole table. Wildcards in `text` match literally.
 */
export function containsText(columns: readonly string[], text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const joined = sql.join(
    columns.map((column) => sql.ref(column)),
    sql` || ${sql.lit('\n')} || `,
  )
  return sql<boolean>`lower(${joined}) like lower(${pattern}) escape '\\'`
}

/** Whether a comma-separated list has the member. Wildcards in `name` match literally. */
export function hasMember(column: string, name: string) {
  const pattern = `%,${name.replace(/[\\%_]/g, '\\$&')},%`
  return sql<boolean>`',' || ${sql.ref(column)} || ',' like ${pattern} escape '\\'`
}

const ID_DIGITS_MAX = 15

/** The keyword as an id, or 0, which no row has. */
export function idIn(keyword: string): number {
  return /^\d+$/.test(keyword) && keyword.length <= ID_DIGITS_MAX ? Number(keyword) : 0
}
