import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const SAFE_INTEGER = sql.raw(String(Number.MAX_SAFE_INTEGER))

const TABLES = ['rollups', 'model_hours', 'user_hours'] as const
const COARSER = [
  ['model_hours', ['hour', 'model_name']],
  ['user_hours', ['hour', 'user_id', 'model_name']],
] as const

/**
 * What caches of prompts saved. The tokens of earlier hours are known, what they saved is not: it
 * counts as 0.
 */
export const cacheSavings: Migration = {
  up: async (db: Kysely<unknown>) => {
    const add = (table: string, column: string) =>
      sql`alter table ${sql.table(table)} add column ${amount(column)}`.execute(db)
    for (const table of TABLES) {
      await add(table, 'cache_savings')
      await add(table, 'cache_surcharge')
    }
    for (const [table, keys] of COARSER) {
      await add(table, 'cached_tokens')
      const key = sql.join(keys.map((name) => sql.ref(name)))
      const same = keys.map(
        (name) => sql`${sql.ref(`${table}.${name}`)} = ${sql.ref(`sums.${name}`)}`,
      )
      await sql`update ${sql.table(table)} set cached_tokens = sums.tokens
        from (select ${key}, case when sum(cached_tokens) > ${SAFE_INTEGER} then ${SAFE_INTEGER}
            else sum(cached_tokens) end as tokens
          from rollups where cached_tokens > 0 group by ${key}) as sums
        where ${sql.join(same, sql` and `)}`.execute(db)
    }
  },
}

function amount(column: string) {
  const ref = sql.ref(column)
  return sql`${ref} bigint not null default 0 check (${ref} >= 0 and ${ref} <= ${SAFE_INTEGER})`
}
