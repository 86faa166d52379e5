import { randomUUID } from 'node:crypto'
import { type Quota, QUOTA_MAX } from '@tollgate/contract'
import { periodStart } from '../../domain/budget-period.ts'
import { databaseClock } from '../../store/clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import { assertQuota } from '../account.ts'
import type { BudgetEdit, Credit, CreditKind, CreditOutcome, Ledger, QuotaEdit } from '../ledger.ts'
import { carryOverSpend } from './carry-over-spend.ts'

const TEXT_LENGTH_MAX = 500

/** Changing a balance needs no epoch, so the first credit can be booked before any epoch exists. */
type CreditDeps = { database: Pick<Database, 'kind'>; now: () => number }

/** `leased` belongs to the epochs that lease it, whether or not requests hold it. */
type Funds = { balance: Quota; leased: Quota }

/** Every change of a balance other than a charge. */
export function createCredits(
  deps: CreditDeps,
): Pick<Ledger, 'credit' | 'editQuota' | 'editBudget'> {
  return {
    credit: async (tx, credit) => {
      const account = await lockAccount(tx, deps, credit)
      if (!account) return { type: 'no_account' }
      return bookCredit(tx, deps, credit, account)
    },
    editQuota: (tx, edit) => editQuota(tx, deps, edit),
    editBudget: (tx, edit) => editBudget(tx, deps, edit),
  }
}

async function editQuota(tx: Tx, deps: CreditDeps, edit: QuotaEdit): Promise<CreditOutcome> {
  const account = await lockAccount(tx, deps, edit)
  if (!account) return { type: 'no_account' }
  const requestedAmount = edit.targetBalance - (edit.seenBalance ?? account.balance)
  const { kind, ownerId, editId, reason, actorId } = edit
  const name = editId === undefined ? randomUUID() : `${kind}:${ownerId}:${actorId}:${editId}`
  const change = { kind, ownerId, amount: requestedAmount, reason, source: `edit:${name}`, actorId }
  // Comes before any comparison with the balance, which may have changed since the edit was booked.
  const earlier = editId === undefined ? undefined : await findRepeated(tx, change)
  if (earlier) return earlier
  if (kind === 'user') return bookCredit(tx, deps, change, account)
  // An edit of a limit is never refused because of what is leased or was used in the meantime.
  const amount = Math.max(-account.balance, requestedAmount)
  if (amount !== 0) {
    await endLeases(tx, 'token', ownerId)
    await tx.updateTable('tokens').set({ quota_leased: 0 }).where('id', '=', ownerId).execute()
  }
  return bookCredit(
    tx,
    deps,
    { ...change, amount, requestedAmount },
    { balance: account.balance, leased: 0 },
  )
}

/**
 * Like an edit of a limit, never refused: leases on the budget are taken away, and its requests
 * continue. After a change of the kind of period, nothing can be leased on the old budgets, or the
 * token would have both limits. A request that needs to raise its hold there is cut off.
 */
async function editBudget(
  tx: Tx,
  deps: CreditDeps,
  { tokenId, quota, period, timeZone }: BudgetEdit,
): Promise<void> {
  assertQuota(quota, 'a budget')
  const token = await tx
    .selectFrom('tokens')
    .select(['user_id', 'budget_quota', 'budget_period'])
    .where('id', '=', tokenId)
    .$if(deps.database.kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  if (token === undefined) return
  if (token.budget_quota === quota && token.budget_period === period) return
  await endLeases(tx, 'budget', tokenId)
  await tx
    .updateTable('token_budgets')
    .set({ quota_leased: 0 })
    .where('token_id', '=', tokenId)
    .execute()
  await tx
    .updateTable('tokens')
    .set({ budget_quota: quota, budget_period: period })
    .where('id', '=', tokenId)
    .execute()
  if (period === '') return
  const { now } = await tx.selectNoFrom(databaseClock(deps).as('now')).executeTakeFirstOrThrow()
  const start = periodStart(period, now, timeZone)
  await tx
    .updateTable('token_budgets')
    .set({ limit_quota: quota })
    .where('token_id', '=', tokenId)
    .where('period_start', '=', start)
    .execute()
  if (token.budget_period === period) return
  await carryOverSpend(tx, { userId: token.user_id, tokenId, start, quota })
  await tx
    .updateTable('token_budgets')
    .set((eb) => ({ limit_quota: eb.ref('spent') }))
    .where('token_id', '=', tokenId)
    .where('period_start', '<>', start)
    .execute()
}

async function lockAccount(
  tx: Tx,
  { database }: CreditDeps,
  { kind, ownerId }: { kind: CreditKind; ownerId: number },
): Promise<Funds | undefined> {
  const isPostgres = database.kind === 'postgres'
  if (kind === 'user') {
    return tx
      .selectFrom('users')
      .select(['quota as balance', 'quota_leased as leased'])
      .where('id', '=', ownerId)
      .$if(isPostgres, (query) => query.forUpdate())
      .executeTakeFirst()
  }
  return tx
    .selectFrom('tokens')
    .select(['remain_quota as balance', 'quota_leased as leased'])
    .where('id', '=', ownerId)
    .$if(isPostgres, (query) => query.forUpdate())
    .executeTakeFirst()
}

/** Running requests stay held on their owner, who pays for them. */
async function endLeases(tx: Tx, kind: 'token' | 'budget', tokenId: number) {
  await tx
    .deleteFrom('quota_leases')
    .where('kind', '=', kind)
    .where('owner_id', '=', tokenId)
    .execute()
}

/** `requestedAmount` is set if less than that is booked, possibly nothing. */
async function bookCredit(
  tx: Tx,
  deps: CreditDeps,
  { requestedAmount, ...credit }: Credit & { requestedAmount?: Quota },
  { balance, leased }: Funds,
): Promise<CreditOutcome> {
  if (!Number.isSafeInteger(credit.amount)) {
    throw new RangeError(`a credit of ${credit.amount} is no amount of quota`)
  }
  if ((requestedAmount ?? credit.amount) === 0) return { type: 'booked', balance }
  const requested = { ...credit, amount: requestedAmount ?? credit.amount }
  const earlier = await findRepeated(tx, requested)
  if (earlier) return earlier
  const after = balance + credit.amount
  if (after < 0 || after > QUOTA_MAX) return { type: 'out_of_range' }
  if (after < leased) return { type: 'below_leased', leased }

  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('credits')
    .values({
      kind: credit.kind,
      owner_id: credit.ownerId,
      amount: credit.amount,
      reason: storableText(credit.reason, TEXT_LENGTH_MAX),
      source: credit.source,
      actor_id: credit.actorId,
      created_at: Math.floor(deps.now() / 1000),
      asked: requestedAmount === credit.amount ? null : requestedAmount,
    })
    .onConflict((conflict) => conflict.column('source').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) {
    return (await findRepeated(tx, requested)) ?? { type: 'repeated', isSame: false }
  }
  await setBalance(tx, credit, after)
  return { type: 'booked', balance: after }
}

async function findRepeated(
  tx: Tx,
  { kind, ownerId, amount, source }: Pick<Credit, 'kind' | 'ownerId' | 'amount' | 'source'>,
): Promise<CreditOutcome | undefined> {
  const row = await tx
    .selectFrom('credits')
    .select(['kind', 'owner_id', 'amount', 'asked'])
    .where('source', '=', source)
    .executeTakeFirst()
  if (!row) return undefined
  const requestedAmount = row.asked ?? row.amount
  const isSame = row.kind === kind && row.owner_id === ownerId && requestedAmount === amount
  return { type: 'repeated', isSame }
}

async function setBalance(tx: Tx, { kind, ownerId }: Credit, balance: number) {
  await (kind === 'user'
    ? tx.updateTable('users').set({ quota: balance }).where('id', '=', ownerId).execute()
    : tx.updateTable('tokens').set({ remain_quota: balance }).where('id', '=', ownerId).execute())
}
