import { sql } from 'kysely'

/** Whether a column begins with the text, whatever wildcards the text holds. */
export function beginsWith(column: string, text: string) {
  const pattern = `${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}

const ID_DIGITS_MAX = 15

/** The id a keyword may be; 0, which no row has, when it is none. */
export function idIn(keyword: string): number {
  return /^\d+$/.test(keyword) && keyword.length <= ID_DIGITS_MAX ? Number(keyword) : 0
}
