import { type RawBuilder, sql } from 'kysely'
import { chargeBasisSchema, LOG_TYPE } from '@tollgate/contract'
import { recomputeCost } from '../../domain/price.ts'
import type { Database, Tx } from '../../store/database.ts'
import { SECONDS_PER_DAY } from '../apply/rollups.ts'
import { againstEachOther, COARSER_HOURS } from './audit-hours.ts'
import { checkJournalUse, readJournalUse } from './audit-journals.ts'
import { LEASES } from './audit-leases.ts'
import { OWNERS } from './audit-owners.ts'
import { REDEMPTIONS } from './audit-redemptions.ts'
import type { Difference } from './difference.ts'

const LOG_PAGE_ROWS = 1000
const HOURS_PER_DAY = 24
const DAY = sql.lit(SECONDS_PER_DAY)
const HOUR = sql.lit(SECONDS_PER_DAY / HOURS_PER_DAY)

/**
 * Recomputes every balance and counter from the records, at one moment, also under load. With this
 * machine's journal folder, also checks that the pending records of the journals are within the
 * leases of their epochs.
 */
export async function audit(database: Database, journals?: string): Promise<Difference[]> {
  const journalUse = journals === undefined ? [] : await readJournalUse(database, journals)
  return database.snapshot(async (tx) => {
    const differences: Difference[] = await checkJournalUse(tx, journalUse)
    for (const query of QUERIES) {
      const { rows } = await sql<Difference>`${query}`.execute(tx)
      differences.push(...rows)
    }
    differences.push(...(await recomputeCharges(tx)))
    return differences
  })
}

export async function countAccounts({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ accounts: number }>`
    select (select count(*) from users) + (select count(*) from tokens) as accounts
  `.execute(kysely)
  return rows[0]?.accounts ?? 0
}

type Owner = 'user' | 'token' | 'channel'

/** A stored column against the sum of its movements, which are rows of (id, amount). */
const stored = (owner: Owner, column: string, what: string, movements: RawBuilder<unknown>) => sql`
  select ${sql.lit(`${owner} `)} || o.id as "where", ${sql.lit(`${column} against ${what}`)} as what,
    ${sql.ref(`o.${column}`)} as found, coalesce(m.total, 0) as expected
  from ${sql.table(`${owner}s`)} as o left join (
    select id, sum(amount) as total from (${movements}) as movements group by id
  ) as m on m.id = o.id
  where ${sql.ref(`o.${column}`)} <> coalesce(m.total, 0)
  order by o.id`

const movements = (table: string, owner: string, amount: string) =>
  sql`select ${sql.ref(owner)} as id, ${sql.ref(amount)} as amount from ${sql.table(table)}`

const balance = (owner: 'user' | 'token', charged: string) => sql`
  select owner_id as id, amount from credits where kind = ${sql.lit(owner)}
  union all
  select ${sql.ref(`${owner}_id`)} as id, -${sql.ref(charged)} as amount from ledger_days`

const BALANCES = [
  stored('user', 'quota', 'credits − charges', balance('user', 'charged')),
  stored('token', 'remain_quota', 'credits − charges', balance('token', 'token_charged')),
  stored('user', 'used_quota', 'charges', movements('ledger_days', 'user_id', 'charged')),
  stored('token', 'used_quota', 'charges', movements('ledger_days', 'token_id', 'charged')),
  stored('user', 'request_count', 'requests', movements('ledger_days', 'user_id', 'requests')),
  stored('channel', 'used_quota', 'rollups', movements('rollups', 'channel_id', 'quota')),
  stored('user', 'invite_balance', 'earnings', movements('partner_entries', 'user_id', 'amount')),
]

const DAYS = sql`select user_id, day, sum(charged) as charged, sum(requests) as requests
  from ledger_days group by user_id, day`

const HOURS = sql`select user_id, hour / ${sql.lit(HOURS_PER_DAY)} as day, sum(quota) as charged,
    sum(requests) as requests
  from rollups group by user_id, hour / ${sql.lit(HOURS_PER_DAY)}`

const DAYS_AGAINST_HOURS = againstEachOther({
  where: sql`'user ' || user_id || ' on day ' || day`,
  what: 'rollups against charges',
  key: ['user_id', 'day'],
  columns: ['charged', 'requests'],
  found: HOURS,
  expected: DAYS,
})

const LOGGED = sql`select user_id, token_id, created_at / ${DAY} as day, count(*) as requests,
    sum(quota) as charged, sum(uncollected) as uncollected
  from logs where type = ${sql.lit(LOG_TYPE.consume)} and request_id is not null
    and outcome <> 'refused'
  group by user_id, token_id, created_at / ${DAY}`

/** Rows may have been deleted, or not kept: the log may have fewer rows, never more. */
const logsAgainst = (column: 'charged' | 'uncollected') => {
  const found = sql.ref(`l.${column}`)
  const expected = sql`coalesce(${sql.ref(`d.${column}`)}, 0)`
  return sql`
    select 'token ' || l.token_id || ' of user ' || l.user_id || ' on day ' || l.day as "where",
      ${sql.lit(`log against charges: ${column}`)} as what,
      ${found} as found, ${expected} as expected
    from (${LOGGED}) as l left join ledger_days d
      on d.user_id = l.user_id and d.token_id = l.token_id and d.day = l.day
    where ${found} > ${expected}
      or (${found} <> ${expected} and l.requests >= coalesce(d.requests, 0))
    order by l.user_id, l.token_id, l.day`
}

/** The cost of each request, as the log and the rollups have it. Deleted rows as above. */
const COSTS_LOGGED = sql`
  select 'token ' || token_id || ' of user ' || user_id || ' in hour ' || hour as "where",
    'log against rollups: provider_cost' as what, sum(found) as found, sum(expected) as expected
  from (
    select user_id, token_id, created_at / ${HOUR} as hour, count(*) as logged, 0 as counted,
      sum(coalesce(provider_cost, 0)) as found, 0 as expected
    from logs where type = ${sql.lit(LOG_TYPE.consume)} and request_id is not null
    and outcome <> 'refused'
    group by user_id, token_id, created_at / ${HOUR}
    union all
    select user_id, token_id, hour, 0 as logged, sum(requests) as counted,
      0 as found, sum(provider_cost) as expected
    from rollups group by user_id, token_id, hour
  ) as both_sums
  group by user_id, token_id, hour
  having sum(found) > sum(expected)
    or (sum(found) <> sum(expected) and sum(logged) >= sum(counted))
  order by user_id, token_id, hour`

const RECORDS = [
  DAYS_AGAINST_HOURS,
  logsAgainst('charged'),
  logsAgainst('uncollected'),
  COSTS_LOGGED,
  sql`select 'request ' || request_id as "where", 'rows in the log' as what,
        count(*) as found, 1 as expected
      from logs where request_id is not null group by request_id having count(*) > 1`,
]

const QUERIES = [...BALANCES, ...LEASES, ...RECORDS, ...COARSER_HOURS, ...REDEMPTIONS, ...OWNERS]

async function recomputeCharges(tx: Tx): Promise<Difference[]> {
  const differences: Difference[] = []
  for (let lastId = 0; ;) {
    const rows = await tx
      .selectFrom('logs')
      .select(['id', 'request_id', 'quota', 'uncollected', 'outcome', 'basis'])
      .where('id', '>', lastId)
      .where('request_id', 'is not', null)
      .where('outcome', '<>', 'refused')
      .orderBy('id')
      .limit(LOG_PAGE_ROWS)
      .execute()
    differences.push(...rows.flatMap(checkCharge))
    lastId = rows.at(-1)?.id ?? 0
    if (rows.length < LOG_PAGE_ROWS) return differences
  }
}

type ChargedRow = {
  request_id: string | null
  quota: number
  uncollected: number
  outcome: string
  basis: string
}

function checkCharge(row: ChargedRow): Difference[] {
  const where = `request ${row.request_id}`
  const found = row.quota + row.uncollected
  const { stated, computed } = costsOf(row)
  const checks = [
    { where, what: 'charged and uncollected against cost', found, expected: stated },
    { where, what: 'cost against its basis', found: stated, expected: computed },
  ]
  return checks.filter((check) => check.found !== check.expected)
}

/** An unreadable basis explains no charge: NaN differs from every number. */
function costsOf({ outcome, basis }: ChargedRow): { stated: number; computed: number } {
  if (outcome === 'void') return { stated: 0, computed: 0 }
  try {
    const parsed = chargeBasisSchema.parse(JSON.parse(basis))
    return { stated: parsed.cost, computed: recomputeCost(parsed) }
  } catch {
    return { stated: Number.NaN, computed: Number.NaN }
  }
}
