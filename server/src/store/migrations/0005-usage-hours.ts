import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { HISTOGRAM_BUCKETS } from '../hour-tables.ts'

type Kind = 'sqlite' | 'postgres'

const SAFE_INTEGER = sql.raw(String(Number.MAX_SAFE_INTEGER))

const FIGURES = ['requests', 'failures', 'prompt_tokens', 'completion_tokens', 'quota']
const TIMES = ['latency', 'first_token'].flatMap((name) =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}`),
)

type Table = { name: string; key: string[]; sums: string[] }

const TABLES: Table[] = [
  { name: 'model_hours', key: ['hour', 'model_name'], sums: FIGURES },
  { name: 'channel_hours', key: ['hour', 'channel_id'], sums: [...FIGURES, ...TIMES] },
  { name: 'user_hours', key: ['user_id', 'hour', 'model_name'], sums: FIGURES },
]

/** Rollups summed over some of their key columns, and an index of the ledger's days. */
export function usageHours(kind: Kind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      for (const table of TABLES) {
        await create(db, kind, table)
        await fill(db, table)
      }
      // A user's own usage is read from `user_hours`.
      await db.schema.dropIndex('rollups_user').execute()
      // Covers everything that a ranking of users reads.
      await db.schema
        .createIndex('ledger_days_day')
        .on('ledger_days')
        .columns(['day', 'user_id', 'charged', 'requests'])
        .execute()
    },
  }
}

async function create(db: Kysely<unknown>, kind: Kind, { name, key, sums }: Table) {
  const columns = [
    ...key.map((column) =>
      column === 'model_name'
        ? sql`model_name text not null`
        : sql`${sql.ref(column)} bigint not null`,
    ),
    ...sums.map((column) => {
      const ref = sql.ref(column)
      return sql`${ref} bigint not null default 0 check (${ref} >= 0 and ${ref} <= ${SAFE_INTEGER})`
    }),
    sql`primary key (${sql.join(key.map((column) => sql.ref(column)))})`,
  ]
  // A time span is read from start to end, so rows are stored in that order.
  const options = kind === 'sqlite' ? sql`without rowid` : sql``
  await sql`create table ${sql.table(name)} (${sql.join(columns)}) ${options}`.execute(db)
}

async function fill(db: Kysely<unknown>, { name, key, sums }: Table) {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  const sumColumns = sql.join(sums.map((column) => sql.ref(column)))
  const amounts = sums.map((column) => {
    const sum = sql`sum(${sql.ref(column)})`
    return sql`case when ${sum} > ${SAFE_INTEGER} then ${SAFE_INTEGER} else ${sum} end`
  })
  await sql`insert into ${sql.table(name)} (${keyColumns}, ${sumColumns})
    select ${keyColumns}, ${sql.join(amounts)} from rollups group by ${keyColumns}`.execute(db)
}
