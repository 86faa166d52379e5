import type { Compilable } from 'kysely'
import { TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { executeAll } from '../store/execute-all.ts'
import { storableText } from '../store/storable-text.ts'
import { assertQuota, lockToken, lockUser } from './account.ts'
import { createEnding } from './end.ts'
import type { Hold, HoldAmount, HoldOutcome, LedgerDeps, RequestContext } from './ledger.ts'
import { unanswered } from './record.ts'
import { LONG_PAUSES_MS } from './retry.ts'

const NAME_LENGTH_MAX = 200

type Account = { name: 'user' | 'token'; balance: number; held: number }
type Refusal = Exclude<HoldOutcome, { type: 'held' }>

/** Reserves on the user and, when it is limited, on the token: on both or on none. */
export async function openHold(
  deps: LedgerDeps,
  given: RequestContext,
  wanted: HoldAmount,
): Promise<HoldOutcome> {
  assertQuota(wanted.least, 'the least of a hold')
  assertQuota(wanted.most, 'the most of a hold')
  if (wanted.least > wanted.most) throw new RangeError('a hold has its least above its most')
  const context = storableContext(given)
  let isTaken = false
  const taken = await deps.database
    .transaction(async (tx) => {
      const result = await take(tx, deps, context, wanted)
      isTaken = typeof result === 'number'
      return result
    })
    .catch((error: unknown) => {
      if (isTaken) giveBack(deps, context)
      throw error
    })
  return typeof taken === 'number'
    ? { type: 'held', hold: createHold(deps, context, taken) }
    : taken
}

/** The commit may have taken effect though its answer was lost; then nobody owns this hold. */
function giveBack(deps: LedgerDeps, context: RequestContext) {
  const end = createEnding(deps, context, LONG_PAUSES_MS)
  end({ outcome: 'void', cost: 0, basis: null, ...unanswered('hold_unconfirmed') }).catch(() => {
    // The next start on this folder gives it back.
  })
}

function storableContext(context: RequestContext): RequestContext {
  return {
    ...context,
    username: storableText(context.username, NAME_LENGTH_MAX),
    tokenName: storableText(context.tokenName, NAME_LENGTH_MAX),
    model: storableText(context.model, NAME_LENGTH_MAX),
  }
}

async function take(
  tx: Tx,
  { database: { kind }, run }: LedgerDeps,
  context: RequestContext,
  wanted: HoldAmount,
): Promise<number | Refusal> {
  await assertRunIsOpen(tx, kind, run)
  const user = await lockUser(tx, kind, context.userId)
  const token = await lockToken(tx, kind, context.tokenId)
  if (user?.status !== USER_STATUS.enabled || token?.status !== TOKEN_STATUS.enabled) {
    return { type: 'no_account' }
  }
  if (token.user_id !== context.userId || token.key_hash === null) return { type: 'no_account' }

  const limited = token.unlimited_quota === 0
  const accounts: Account[] = [{ name: 'user', balance: user.quota, held: user.quota_leased }]
  if (limited) {
    accounts.push({ name: 'token', balance: token.remain_quota, held: token.quota_leased })
  }
  const refusal = refuse(accounts, wanted.least)
  if (refusal) return refusal

  const amount = Math.min(wanted.most, ...accounts.map(({ balance, held }) => balance - held))
  const tokenAmount = limited ? amount : 0
  const queries: Compilable[] = []
  if (amount > 0) queries.push(leaseUser(tx, context.userId, amount))
  if (tokenAmount > 0) queries.push(leaseToken(tx, context.tokenId, tokenAmount))
  queries.push(
    tx.insertInto('holds').values({
      request_id: context.requestId,
      run,
      user_id: context.userId,
      token_id: context.tokenId,
      user_amount: amount,
      token_amount: tokenAmount,
      token_limited: limited ? 1 : 0,
      opened_at: context.openedAt,
      context: JSON.stringify(context),
    }),
  )
  await executeAll(tx, kind, queries)
  return amount
}

/** A request of a process that is gone may reach PostgreSQL late; the share lock keeps it from a closed run. */
async function assertRunIsOpen(tx: Tx, kind: 'sqlite' | 'postgres', run: string) {
  const open = await tx
    .selectFrom('ledger_nodes')
    .select('run')
    .where('run', '=', run)
    .where('closed_at', 'is', null)
    .$if(kind === 'postgres', (query) => query.forShare())
    .executeTakeFirst()
  if (!open) throw new Error(`run ${run} is closed and takes no more holds`)
}

/** A balance that is too small is told before one that is only in use. */
function refuse(accounts: Account[], needed: number): Refusal | undefined {
  const poor = accounts.find(({ balance }) => balance < needed)
  if (poor) return { type: 'insufficient', account: poor.name, balance: poor.balance, needed }
  const busy = accounts.find(({ balance, held }) => balance - held < needed)
  if (!busy) return undefined
  return { type: 'in_use', account: busy.name, balance: busy.balance, held: busy.held, needed }
}

const leaseUser = (tx: Tx, userId: number, amount: number) =>
  tx
    .updateTable('users')
    .set((eb) => ({ quota_leased: eb('quota_leased', '+', amount) }))
    .where('id', '=', userId)

const leaseToken = (tx: Tx, tokenId: number, amount: number) =>
  tx
    .updateTable('tokens')
    .set((eb) => ({ quota_leased: eb('quota_leased', '+', amount) }))
    .where('id', '=', tokenId)

/** Closing it again, in either way, changes nothing and answers what the first did. */
function createHold(deps: LedgerDeps, context: RequestContext, amount: number): Hold {
  const end = createEnding(deps, context)
  return {
    amount,
    settle: (settlement) => end({ outcome: 'settled', ...settlement }),
    void: async (voided) => {
      await end({ outcome: 'void', ...voided, cost: 0, basis: null })
    },
  }
}
