import type { Attempt, ChargeBasis, Quota, Seconds } from '@tollgate/contract'
import type { Database, Tx } from '../store/database.ts'

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
}

/** Takes `most`, or what there is if that is at least `least`; both 0 holds nothing. */
export type HoldAmount = { least: Quota; most: Quota }

export type HoldOutcome =
  | { type: 'held'; hold: Hold }
  /** The balance itself is too small. */
  | { type: 'insufficient'; account: 'user' | 'token'; balance: Quota; needed: Quota }
  /** The balance would do, but running requests hold it. */
  | { type: 'in_use'; account: 'user' | 'token'; balance: Quota; held: Quota; needed: Quota }
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
  attempts: readonly Attempt[]
}

export type Settlement = RequestEnd & { cost: Quota; basis: ChargeBasis }

export type Settled = {
  charged: Quota
  /** Cost that no balance covered; charged to nobody. */
  uncollected: Quota
  tokenExhausted: boolean
}

/** Money reserved for one running request; whoever owns it closes it, once. */
export type Hold = {
  readonly amount: Quota
  /** Charges min(cost, what was held + what is free) and gives the rest back. */
  settle: (settlement: Settlement) => Promise<Settled>
  /** Gives everything back. */
  void: (end: RequestEnd) => Promise<void>
}

export type CreditKind = 'user' | 'token'

export type Credit = {
  kind: CreditKind
  ownerId: number
  /** May be negative, but never takes the balance below what is held. */
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
  | { type: 'below_held'; held: Quota }
  | { type: 'out_of_range' }
  | { type: 'no_account' }

export type QuotaEdit = {
  kind: CreditKind
  ownerId: number
  wanted: Quota
  /** The balance the editor was shown; absent sets the balance as it is at this moment. */
  seen?: Quota | undefined
  reason: string
  actorId: number
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
  hold: (context: RequestContext, amount: HoldAmount) => Promise<HoldOutcome>
  /** These run inside the caller's transaction, so that what they belong to happens with them. */
  credit: (tx: Tx, credit: Credit) => Promise<CreditOutcome>
  editQuota: (tx: Tx, edit: QuotaEdit) => Promise<CreditOutcome>
  earn: (tx: Tx, earning: Earning) => Promise<EarningOutcome>
  payOut: (tx: Tx, payout: Earning) => Promise<EarningOutcome>
}

export type LedgerDeps = {
  database: Database
  run: string
  now: () => number
  keepsLog: () => { settled: boolean; void: boolean }
  /** A user whose balance falls below it, or to 0, is reminded by mail. */
  remindBelow: () => Quota
}
