import { type Quota, QUOTA_MAX } from '@tollgate/contract'
import { bulkInsert, bulkUpdate } from '../../store/bulk.ts'
import type { Database, Tx } from '../../store/database.ts'
import { executeAll } from '../../store/execute-all.ts'
import { lockRows, type TokenRow, type UserRow } from '../apply/lock-rows.ts'
import { addUseOfChannels } from '../apply/rollups.ts'
import { saturatingSum } from '../apply/saturate.ts'
import type { CreditKind } from '../ledger.ts'
import type { StagedUses, UseSum } from './staged-uses.ts'

/** A change of a balance that the other gateway has made since the last import. */
export type ImportedCredit = {
  readonly kind: CreditKind
  readonly ownerId: number
  readonly amount: Quota
}

/** The balance could not follow: leases or the limits of a balance were in the way. */
export type ImportShortfall = ImportedCredit & { readonly booked: Quota }

type Batch = {
  /** No other batch has this name. */
  readonly name: string
  readonly actorId: number
  readonly credits: readonly ImportedCredit[]
  readonly uses: StagedUses
}

const insertCredits = bulkInsert('credits', {
  kind: 'text',
  owner_id: 'bigint',
  amount: 'bigint',
  reason: 'text',
  source: 'text',
  actor_id: 'bigint',
  created_at: 'bigint',
})

const writeUsers = bulkUpdate(
  'users',
  { id: 'bigint', quota: 'bigint', used_quota: 'bigint', request_count: 'bigint' },
  ['id'],
)

const writeTokens = bulkUpdate(
  'tokens',
  { id: 'bigint', remain_quota: 'bigint', used_quota: 'bigint', accessed_time: 'bigint' },
  ['id'],
)

/**
 * Books balances and past use from another gateway. Past use is credited and charged at once: it
 * enters the books of charges and leaves the balance as it was there.
 */
export async function bookImports(
  tx: Tx,
  { kind, now }: { kind: Database['kind']; now: () => number },
  batch: Batch,
): Promise<ImportShortfall[]> {
  const sums = sumUp(batch)
  const ids = (of: CreditKind) => [...sums[of].keys()].toSorted((a, b) => a - b)
  const locked = await lockRows(
    { tx, kind, epoch: '' },
    { users: ids('user'), tokens: ids('token'), budgets: [] },
  )
  const shortfalls: ImportShortfall[] = []
  const credits: (ImportedCredit & { booked: Quota })[] = []
  const book = (of: CreditKind, ownerId: number, funds: Funds, { amount, used }: Sum): Quota => {
    const booked = possibleCredit(funds, amount)
    if (booked !== amount) shortfalls.push({ kind: of, ownerId, amount, booked })
    // The charge of a token's use is its owner's alone: the limit was credited as what is left.
    const credited = of === 'user' ? booked + used : booked
    if (credited !== 0) credits.push({ kind: of, ownerId, amount, booked: credited })
    return funds.balance + booked
  }
  const users = locked.users.map((row) => userAfter(row, sumOf(sums.user, row.id), book))
  const tokens = locked.tokens.map((row) => tokenAfter(row, sumOf(sums.token, row.id), book))
  const created_at = Math.floor(now() / 1000)
  const booked = [
    ...writeUsers(kind, users),
    ...writeTokens(kind, tokens),
    ...insertCredits(
      kind,
      credits.map(({ kind: of, ownerId, booked }) => ({
        kind: of,
        owner_id: ownerId,
        amount: booked,
        reason: 'import',
        source: `import:${batch.name}:${of}:${ownerId}`,
        actor_id: batch.actorId,
        created_at,
      })),
    ),
    ...batch.uses.addSums(),
    ...addUseOfChannels(tx, batch.uses.ofChannels),
  ]
  await executeAll(tx, booked)
  return shortfalls
}

type Sum = UseSum & { amount: Quota }
type Sums = Record<CreditKind, Map<number, Sum>>
type Funds = { balance: Quota; leased: Quota }
type Book = (of: CreditKind, ownerId: number, funds: Funds, sum: Sum) => Quota

const NOTHING: Sum = { amount: 0, used: 0, requests: 0, lastAt: 0 }

const sumOf = (sums: ReadonlyMap<number, Sum>, id: number) => sums.get(id) ?? NOTHING

function sumUp({ credits, uses }: Pick<Batch, 'credits' | 'uses'>): Sums {
  const sumsOf = (of: CreditKind) => {
    const entries = [...uses.sumsOf(of)].map(([id, use]) => [id, { ...use, amount: 0 }] as const)
    const sums = new Map<number, Sum>(entries)
    for (const { kind, ownerId, amount } of credits) {
      if (kind !== of) continue
      const known = sumOf(sums, ownerId)
      sums.set(ownerId, { ...known, amount: known.amount + amount })
    }
    return sums
  }
  return { user: sumsOf('user'), token: sumsOf('token') }
}

/** A balance stays between what is leased of it and the largest balance. */
const possibleCredit = ({ balance, leased }: Funds, amount: Quota) =>
  Math.min(Math.max(amount, leased - balance), QUOTA_MAX - balance)

function userAfter(row: UserRow, sum: Sum, book: Book) {
  const { id, quota: balance, quota_leased: leased, used_quota, request_count } = row
  return {
    id,
    quota: book('user', id, { balance, leased }, sum),
    used_quota: saturatingSum(used_quota, sum.used),
    request_count: saturatingSum(request_count, sum.requests),
  }
}

function tokenAfter(row: TokenRow, sum: Sum, book: Book) {
  const { id, remain_quota: balance, quota_leased: leased, used_quota, accessed_time } = row
  return {
    id,
    remain_quota: book('token', id, { balance, leased }, sum),
    used_quota: saturatingSum(used_quota, sum.used),
    accessed_time: Math.max(accessed_time, sum.lastAt),
  }
}
