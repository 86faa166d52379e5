import type { Attempt, BudgetPeriod, ChargeBasis, Quota, Seconds } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import type { Account, AccountKind } from './account.ts'

/** Who a request is for and what its log row says whatever becomes of it. */
export type RequestContext = {
  requestId: string
  userId: number
  username: string
  tokenId: number
  tokenName: string
  model: string
  isStream: boolean
  openedAt: Seconds
  /** Whether the token had a limit of its own when the request came: then it is held and charged too. */
  tokenLimited: boolean
  /** The token's budget, if it had one when the request came. */
  budget: BudgetPeriod | null
}

/** Takes `most`, or what there is if that is at least `least`; both 0 holds nothing. */
export type HoldAmount = { least: Quota; most: Quota }

export type HoldOutcome = { type: 'held'; hold: Hold } | HoldRefusal

export type HoldRefusal =
  /** The balance itself is too small. */
  | { type: 'insufficient'; account: AccountKind; balance: Quota; needed: Quota }
  /** The balance would do, but running requests hold it. */
  | { type: 'in_use'; account: AccountKind; balance: Quota; held: Quota; needed: Quota }
  /** The owner or the token is gone. */
  | { type: 'no_account' }

/** How an admitted request ended, for its log row. */
export type RequestEnd = {
  content: string
  upstreamModel: string
  channel: number
  elapsedMs: number
  firstTokenMs: number
  endReason: string
  /** What was to happen if the client left. */
  disconnectPolicy?: 'drain' | 'abort'
  attempts: readonly Attempt[]
}

export type Settlement = RequestEnd & { cost: Quota; basis: ChargeBasis }

/**
 * Money reserved for one running request; whoever owns it closes it, once. Closing again, in either way,
 * changes nothing.
 */
export type Hold = {
  /** What is held now. */
  readonly amount: Quota
  /** Holds more, up to `amount.most` in all; what was held stays held whatever the outcome. */
  raise: (amount: HoldAmount) => Promise<RaiseOutcome>
  /** Resolves when the charge cannot be lost any more; then the last bytes of the answer may go out. */
  settle: (settlement: Settlement) => Promise<void>
  /** Gives everything back. */
  void: (end: RequestEnd) => Promise<void>
}

export type RaiseOutcome = { type: 'held' } | HoldRefusal

export type CreditKind = 'user' | 'token'

export type Credit = {
  kind: CreditKind
  ownerId: number
  /** May be negative, but never takes the balance below what is leased of it. */
  amount: Quota
  reason: string
  /** Makes it happen once, as `redemption:7`. */
  source: string
  actorId: number
}

export type CreditOutcome =
  | { type: 'booked'; balance: Quota }
  /** The source was booked before, for the same owner and amount or not; nothing changed. */
  | { type: 'repeated'; isSame: boolean }
  | { type: 'below_leased'; leased: Quota }
  | { type: 'out_of_range' }
  | { type: 'no_account' }

export type QuotaEdit = {
  kind: CreditKind
  ownerId: number
  wanted: Quota
  /** The balance the editor was shown; absent sets the balance as it is at this moment. */
  seen?: Quota | undefined
  /** One edit that may be sent again, with what was shown: of the same account and by the same actor it is booked once. */
  editId?: string | undefined
  reason: string
  actorId: number
}

/** What a token may spend in each period; a new limit, or another kind of period, counts what was spent in the running one. */
export type BudgetEdit = {
  tokenId: number
  quota: Quota
  /** Empty: no budget. */
  period: BudgetPeriod | ''
}

/** A movement of what a user earned by invitations, in fen (1/100 yuan). */
export type Earning = {
  userId: number
  /** At least 1, also of a payout. */
  amount: number
  reason: string
  /** Makes it happen once, as `redemption:7`. */
  source: string
  actorId: number
}

export type EarningOutcome =
  | { type: 'booked'; balance: number }
  /** The source was booked before, for the same user and amount or not; nothing changed. */
  | { type: 'repeated'; balance: number; isSame: boolean }
  | { type: 'out_of_range'; balance: number }
  | { type: 'no_account' }

/** The only code that changes a quota or what an inviter earned. */
export type Ledger = {
  /** Throws `LedgerAway` when it cannot promise anything now. */
  hold: (context: RequestContext, amount: HoldAmount) => Promise<HoldOutcome>
  /** Whether more may not be held now for want of the database or of the disk, rather than of money. */
  isAway: () => boolean
  /** Resolves when the database shows the requests that have ended, of one user or of all, on all nodes, or after 300 ms. */
  flush: (userId?: number) => Promise<void>
  /** Asks all nodes to give back what they lease of an account and do not use; waits up to a second. */
  recall: (account: Account) => Promise<void>
  /** These run inside the caller's transaction, so that what they belong to happens with them. */
  credit: (tx: Tx, credit: Credit) => Promise<CreditOutcome>
  editQuota: (tx: Tx, edit: QuotaEdit) => Promise<CreditOutcome>
  editBudget: (tx: Tx, edit: BudgetEdit) => Promise<void>
  earn: (tx: Tx, earning: Earning) => Promise<EarningOutcome>
  payOut: (tx: Tx, payout: Earning) => Promise<EarningOutcome>
}

/** The database is away or the disk is full: nothing is held until that has passed. */
export class LedgerAway extends Error {
  override readonly name = 'LedgerAway'
}
