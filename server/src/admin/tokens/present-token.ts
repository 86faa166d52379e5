import { BUDGET_PERIODS, type BudgetPeriod, TOKEN_STATUS, type Token } from '@tollgate/contract'
import { nextPeriodStart, periodStart } from '../../domain/budget-period.ts'
import { tokenState } from '../../domain/token-state.ts'
import type { Database, Tx } from '../../store/database.ts'
import { listSpent, type ShownToken } from '../../store/tokens.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

type ShowDeps = Pick<AdminDeps, 'database' | 'secrets' | 'now' | 'settings'>

/** Tokens as their owner sees them: with keys and the current state. */
export async function presentTokens(
  deps: ShowDeps,
  db: Database['kysely'] | Tx,
  rows: readonly ShownToken[],
): Promise<Token[]> {
  const now = nowSeconds(deps)
  const spent = await readSpent(deps, db, rows)
  return rows.map((row) => ({
    ...row,
    ...presentBudget(row, spent, { now, zone: deps.settings.current().TimeZone }),
    key: row.key_sealed === null ? '' : deps.secrets.openRelayKey(row.key_sealed),
    status: TOKEN_STATUS[tokenState(row, now)],
    unlimited_quota: row.unlimited_quota === 1,
  }))
}

export async function presentToken(
  deps: ShowDeps,
  db: Database['kysely'] | Tx,
  row: ShownToken,
): Promise<Token> {
  const [token] = await presentTokens(deps, db, [row])
  if (!token) throw new Error('a token is not shown')
  return token
}

export const periodOf = ({ budget_period }: ShownToken): BudgetPeriod | undefined =>
  BUDGET_PERIODS.find((period) => period === budget_period)

const keyOf = (tokenId: number, start: number) => `${tokenId}:${start}`

async function readSpent(deps: ShowDeps, db: Database['kysely'] | Tx, rows: readonly ShownToken[]) {
  const [now, zone] = [nowSeconds(deps), deps.settings.current().TimeZone]
  const withBudget = rows.filter((row) => periodOf(row) !== undefined)
  if (withBudget.length === 0) return new Map<string, number>()
  const spent = await listSpent(db, deps.database.kind, {
    tokenIds: withBudget.map(({ id }) => id),
    periodStarts: BUDGET_PERIODS.map((period) => periodStart(period, now, zone)),
  })
  return new Map(spent.map((row) => [keyOf(row.token_id, row.period_start), row.spent]))
}

function presentBudget(
  row: ShownToken,
  spent: ReadonlyMap<string, number>,
  { now, zone }: { now: number; zone: string },
) {
  const period = periodOf(row)
  if (period === undefined) {
    return { budget_period: '', budget_left: 0, budget_reset_time: 0 } as const
  }
  const used = spent.get(keyOf(row.id, periodStart(period, now, zone))) ?? 0
  return {
    budget_period: period,
    budget_left: Math.max(0, row.budget_quota - used),
    budget_reset_time: nextPeriodStart(period, now, zone),
  }
}
