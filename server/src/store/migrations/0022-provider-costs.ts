import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Kind = 'sqlite' | 'postgres'

const SAFE_INTEGER = sql.raw(String(Number.MAX_SAFE_INTEGER))

const HOURLY = ['rollups', 'model_hours', 'channel_hours', 'user_hours'] as const
const FIGURES = ['requests', 'failures', 'prompt_tokens', 'completion_tokens', 'quota'] as const
const COSTS = ['provider_cost', 'costed_quota'] as const

/**
 * What requests cost the operator at providers, in nano-dollars. The cost of earlier requests is
 * unknown: null in the log, and left out of both sums. Earlier hours have no group.
 */
export const providerCosts = (kind: Kind): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('logs').addColumn('provider_cost', 'bigint').execute()
    for (const table of HOURLY) {
      for (const column of COSTS) {
        await sql`alter table ${sql.table(table)} add column ${amount(column)}`.execute(db)
      }
    }
    const amounts = [...FIGURES, ...COSTS].map(amount)
    const options = kind === 'sqlite' ? sql`without rowid` : sql``
    await sql`create table group_hours (hour bigint not null, group_name text not null,
      ${sql.join(amounts)}, primary key (hour, group_name)) ${options}`.execute(db)
    await sql`create table loss_alerts (day bigint not null, model_name text not null,
      channel_id bigint not null, primary key (day, model_name, channel_id))`.execute(db)
    const figures = FIGURES.map((column) => sql.ref(column))
    const sums = figures.map(
      (column) => sql`case when sum(${column}) > ${SAFE_INTEGER}
      then ${SAFE_INTEGER} else sum(${column}) end`,
    )
    await sql`insert into group_hours (hour, group_name, ${sql.join(figures)})
      select hour, '', ${sql.join(sums)} from model_hours group by hour`.execute(db)
  },
})

function amount(column: string) {
  const ref = sql.ref(column)
  return sql`${ref} bigint not null default 0 check (${ref} >= 0 and ${ref} <= ${SAFE_INTEGER})`
}
