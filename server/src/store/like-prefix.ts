import { sql } from 'kysely'

/** Wildcards in `text` match literally. */
export function beginsWith(column: string, text: string) {
  const pattern = `${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}

/** Whatever the case of Latin letters. Wildcards in `text` match literally. */
export function containsText(column: string, text: string) {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
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
