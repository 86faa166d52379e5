import { randomUUID } from 'node:crypto'
import { QUOTA_MAX } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { storableText } from '../store/storable-text.ts'
import { lockToken, lockUser } from './account.ts'
import type { Credit, CreditKind, CreditOutcome, Ledger, LedgerDeps, QuotaEdit } from './ledger.ts'

const TEXT_LENGTH_MAX = 500

/** Changing a balance needs no run, so the first one can be booked before there is any. */
type CreditDeps = Pick<LedgerDeps, 'database' | 'now'>

type Account = { balance: number; held: number }

/** Every change of a balance that is no charge. */
export function createCredits(deps: CreditDeps): Pick<Ledger, 'credit' | 'editQuota'> {
  return {
    credit: async (tx, credit) => {
      const account = await lockAccount(tx, deps, credit)
      if (!account) return { type: 'no_account' }
      return book(tx, deps, credit, account)
    },
    editQuota: (tx, edit) => editQuota(tx, deps, edit),
  }
}

async function editQuota(tx: Tx, deps: CreditDeps, edit: QuotaEdit): Promise<CreditOutcome> {
  const account = await lockAccount(tx, deps, edit)
  if (!account) return { type: 'no_account' }
  const difference = edit.wanted - (edit.seen ?? account.balance)
  const { kind, ownerId, reason, actorId } = edit
  const source = `edit:${randomUUID()}`
  if (kind === 'user' || difference === 0) {
    return book(tx, deps, { kind, ownerId, amount: difference, reason, source, actorId }, account)
  }
  // An edit of a limit is never refused for what running requests hold or have used meanwhile.
  await freeToken(tx, ownerId)
  const amount = Math.max(-account.balance, difference)
  const free = { balance: account.balance, held: 0 }
  return book(tx, deps, { kind, ownerId, amount, reason, source, actorId }, free)
}

async function lockAccount(
  tx: Tx,
  { database }: CreditDeps,
  { kind, ownerId }: { kind: CreditKind; ownerId: number },
): Promise<Account | undefined> {
  if (kind === 'user') {
    const user = await lockUser(tx, database.kind, ownerId)
    return user && { balance: user.quota, held: user.quota_leased }
  }
  const token = await lockToken(tx, database.kind, ownerId)
  return token && { balance: token.remain_quota, held: token.quota_leased }
}

/** What running requests hold stays held on their owner, who pays for them. */
async function freeToken(tx: Tx, tokenId: number) {
  await tx.updateTable('tokens').set({ quota_leased: 0 }).where('id', '=', tokenId).execute()
  await tx.updateTable('holds').set({ token_amount: 0 }).where('token_id', '=', tokenId).execute()
}

async function book(
  tx: Tx,
  deps: CreditDeps,
  credit: Credit,
  { balance, held }: Account,
): Promise<CreditOutcome> {
  if (!Number.isSafeInteger(credit.amount)) {
    throw new RangeError(`a credit of ${credit.amount} is no amount of quota`)
  }
  if (credit.amount === 0) return { type: 'booked', balance }
  const earlier = await findRepeated(tx, credit)
  if (earlier) return earlier
  const after = balance + credit.amount
  if (after < 0 || after > QUOTA_MAX) return { type: 'out_of_range' }
  if (after < held) return { type: 'below_held', held }

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
    })
    .onConflict((conflict) => conflict.column('source').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) {
    return (await findRepeated(tx, credit)) ?? { type: 'repeated', isSame: false }
  }
  await setBalance(tx, credit, after)
  return { type: 'booked', balance: after }
}

async function findRepeated(
  tx: Tx,
  { kind, ownerId, amount, source }: Credit,
): Promise<CreditOutcome | undefined> {
  const row = await tx
    .selectFrom('credits')
    .select(['kind', 'owner_id', 'amount'])
    .where('source', '=', source)
    .executeTakeFirst()
  if (!row) return undefined
  const isSame = row.kind === kind && row.owner_id === ownerId && row.amount === amount
  return { type: 'repeated', isSame }
}

async function setBalance(tx: Tx, { kind, ownerId }: Credit, balance: number) {
  await (kind === 'user'
    ? tx.updateTable('users').set({ quota: balance }).where('id', '=', ownerId).execute()
    : tx.updateTable('tokens').set({ remain_quota: balance }).where('id', '=', ownerId).execute())
}
