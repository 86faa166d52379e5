import { type RawBuilder, sql } from 'kysely'

/** Users and tokens have no period; their leases have period 0. */
const NO_PERIOD = sql.lit(0)

type Accounts = {
  kind: 'user' | 'token' | 'budget'
  table: string
  id: string
  period: RawBuilder<unknown>
  /** Upper bound on what may be leased. */
  limit: RawBuilder<unknown>
}

const USERS: Accounts = {
  kind: 'user',
  table: 'users',
  id: 'o.id',
  period: NO_PERIOD,
  limit: sql`o.quota`,
}
const TOKENS: Accounts = {
  kind: 'token',
  table: 'tokens',
  id: 'o.id',
  period: NO_PERIOD,
  limit: sql`o.remain_quota`,
}
const BUDGETS: Accounts = {
  kind: 'budget',
  table: 'token_budgets',
  id: 'o.token_id',
  period: sql`o.period_start`,
  limit: sql`o.limit_quota - o.spent`,
}

const nameOf = ({ kind, id, period }: Accounts) =>
  kind === 'budget'
    ? sql`'budget of token ' || ${sql.ref(id)} || ' from ' || ${period}`
    : sql`${sql.lit(`${kind} `)} || ${sql.ref(id)}`

/** What an account says is leased of it, against the sum of its leases. */
const summed = (accounts: Accounts) => sql`
  select ${nameOf(accounts)} as "where", 'quota_leased against leases' as what,
    o.quota_leased as found, coalesce(l.total, 0) as expected
  from ${sql.table(accounts.table)} as o left join (
    select owner_id, period, sum(amount) as total from quota_leases
    where kind = ${sql.lit(accounts.kind)} group by owner_id, period
  ) as l on l.owner_id = ${sql.ref(accounts.id)} and l.period = ${accounts.period}
  where o.quota_leased <> coalesce(l.total, 0)
  order by 1`

const bounded = (accounts: Accounts) => sql`
  select ${nameOf(accounts)} as "where", 'quota_leased above what there is' as what,
    o.quota_leased as found, ${accounts.limit} as expected
  from ${sql.table(accounts.table)} as o
  where o.quota_leased < 0 or (o.quota_leased > 0 and o.quota_leased > ${accounts.limit})
  order by 1`

/** Leases, the spending of budgets, and records that could not be applied. */
export const LEASES = [
  ...[USERS, TOKENS, BUDGETS].flatMap((accounts) => [summed(accounts), bounded(accounts)]),
  sql`select 'budget of token ' || l.owner_id || ' from ' || l.period as "where",
        'lease of a missing budget' as what, l.amount as found, 0 as expected
      from quota_leases l left join token_budgets b
        on b.token_id = l.owner_id and b.period_start = l.period
      where l.kind = 'budget' and b.token_id is null`,
  sql`select 'epoch ' || run as "where", 'leases of a closed epoch' as what,
        sum(amount) as found, 0 as expected
      from quota_leases where run not in (select run from ledger_nodes where closed_at is null)
      group by run order by run`,
  sql`select 'token ' || coalesce(b.token_id, d.token_id) as "where",
        'spent of budgets against charges' as what,
        coalesce(b.spent, 0) as found, coalesce(d.charged, 0) as expected
      from (select token_id, sum(spent) as spent from token_budgets group by token_id) as b
        full join (
          select token_id, sum(budget_charged) as charged from ledger_days group by token_id
        ) as d on d.token_id = b.token_id
      where coalesce(b.spent, 0) <> coalesce(d.charged, 0)
      order by 1`,
  sql`select 'epoch ' || run as "where", 'unresolved faults' as what,
        count(*) as found, 0 as expected
      from ledger_faults where resolved_at is null group by run order by run`,
]
