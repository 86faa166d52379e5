import { AppError, type InBoth, LOG_TYPE, REDEMPTION_STATUS } from '@tollgate/contract'
import { cashBack, giftBonus, isOldEnough } from '../../domain/partner-plan.ts'
import type { Tx } from '../../store/database.ts'
import { insertNote, type Note } from '../../store/logs.ts'
import {
  findByGiftCode,
  findInviterId,
  hasToppedUp,
  lockParties,
  type Party,
} from '../../store/partner-plan.ts'
import { findRedemptionByKey, spendRedemption } from '../../store/redemptions.ts'
import { assertCredited } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { cashBackText, giftOwnerText, giftText, redeemedText } from './topup-notes.ts'

type Used = { id: number; key: string; quota: number }
type Parties = { redeemer: Party; giftOwner: Party | undefined; inviter: Party | undefined }

/** Spends a code. Returns the redeemer's total: the code's quota plus the gift bonus. */
export async function redeem(
  deps: AdminDeps,
  context: CallerContext,
  { key: typed, gift_code }: { key: string; gift_code: string },
): Promise<number> {
  const { database } = deps
  const key = await codeIn(database.kysely, typed)
  const { caller } = context
  const giftOwnerId = await requireGiftOwner(deps, caller.id, gift_code)
  const inviterId = await findInviterId(database.kysely, caller.id)
  return database.transaction(async (tx) => {
    const code = await spendRedemption(tx, { key, userId: caller.id, now: nowSeconds(deps) })
    if (!code) throw await whyUnusable(tx, caller.id, key)
    const ids = [caller.id, giftOwnerId, inviterId]
    const locked = await lockParties(tx, database.kind, ids)
    const [redeemer, giftOwner, inviter] = ids.map((id) => locked.find((user) => user.id === id))
    if (!redeemer) throw new AppError('account_banned')
    await reauthorize(tx, deps, context)
    if (giftOwnerId !== 0 && !giftOwner) throw new AppError('gift_code_unknown')
    if (giftOwner) await requireGiftAllowed(tx, deps, { redeemer, giftOwner })
    return book(tx, { deps, code: { ...code, key } }, { redeemer, giftOwner, inviter })
  })
}

/**
 * The code in what chats and spreadsheets made of it: capitals, dashes or invisible characters.
 * Imported codes may have capitals and dashes of their own.
 */
async function codeIn(db: AdminDeps['database']['kysely'], typed: string): Promise<string> {
  const bare = typed.replaceAll(/[^\dA-Za-z]/g, '').toLowerCase()
  const isDistorted = bare !== typed && /^[\da-f]{32}$/.test(bare)
  return isDistorted && !(await findRedemptionByKey(db, typed)) ? bare : typed
}

/** 0 without a gift code. */
async function requireGiftOwner(
  { database }: AdminDeps,
  redeemerId: number,
  giftCode: string,
): Promise<number> {
  if (giftCode === '') return 0
  const owner = await findByGiftCode(database.kysely, giftCode)
  if (!owner) throw new AppError('gift_code_unknown')
  if (owner.id === redeemerId) throw new AppError('gift_code_own')
  return owner.id
}

/** Keeps accounts created for the purpose from exchanging bonuses. */
async function requireGiftAllowed(
  tx: Tx,
  deps: AdminDeps,
  { redeemer, giftOwner }: { redeemer: Party; giftOwner: Party },
) {
  const { GiftAccountAgeDays: days, GiftRequiresPaidHistory } = deps.settings.current()
  const now = nowSeconds(deps)
  const areOld = [redeemer, giftOwner].every((user) => isOldEnough(user, { days, now }))
  if (!areOld) throw new AppError('gift_too_early', { days })
  if (GiftRequiresPaidHistory && !(await hasToppedUp(tx, giftOwner.id))) {
    throw new AppError('gift_code_unpaid')
  }
}

/** Unknown, disabled and used codes give the same error, so that guessing reveals nothing. */
async function whyUnusable(tx: Tx, redeemerId: number, key: string): Promise<AppError> {
  const code = await findRedemptionByKey(tx, key)
  const isOwn = code?.status === REDEMPTION_STATUS.used && code.redeemed_by === redeemerId
  return new AppError(isOwn ? 'redemption_used_by_you' : 'redemption_unusable')
}

type Booking = { deps: AdminDeps; code: Used }

async function book(tx: Tx, booking: Booking, { redeemer, giftOwner, inviter }: Parties) {
  const { deps, code } = booking
  const { quota } = code
  const options = deps.settings.current()
  const bonus = giftOwner ? giftBonus(quota) : 0
  await credit(tx, booking, {
    owner: redeemer,
    quota,
    source: `redemption:${code.id}`,
    content: redeemedText(options, code),
  })
  if (giftOwner && bonus > 0) {
    await credit(tx, booking, {
      owner: redeemer,
      quota: bonus,
      source: `gift:${code.id}:redeemer`,
      content: giftText(options, bonus),
    })
    await credit(tx, booking, {
      owner: giftOwner,
      quota: bonus,
      source: `gift:${code.id}:owner`,
      content: giftOwnerText(options, bonus),
    })
  }
  if (inviter) await creditInviter(tx, booking, { inviter, redeemer })
  return quota + bonus
}

type CreditEntry = { owner: Party; quota: number; source: string; content: InBoth }

async function credit(tx: Tx, { deps }: Booking, { owner, quota, source, content }: CreditEntry) {
  const outcome = await deps.ledger.credit(tx, {
    kind: 'user',
    ownerId: owner.id,
    amount: quota,
    reason: 'redemption',
    source,
    actorId: owner.id,
  })
  assertCredited(outcome, 'user_not_found')
  await insertNote(tx, noteFor(deps, owner, { type: LOG_TYPE.topup, quota, content }))
}

async function creditInviter(
  tx: Tx,
  { deps, code }: Booking,
  { inviter, redeemer }: { inviter: Party; redeemer: Party },
) {
  const amount = cashBack(code.quota, deps.settings.current().QuotaPerUnit)
  if (amount === 0) return
  const outcome = await deps.ledger.earn(tx, {
    userId: inviter.id,
    amount,
    reason: 'cash-back',
    source: `redemption:${code.id}`,
    actorId: redeemer.id,
  })
  // A full earnings balance must not keep others from redeeming.
  if (outcome.type === 'out_of_range') return
  if (outcome.type !== 'booked') throw new Error(`a cash-back is ${outcome.type}`)
  const content = cashBackText(amount)
  await insertNote(tx, noteFor(deps, inviter, { type: LOG_TYPE.system, content }))
}

const noteFor = (
  deps: AdminDeps,
  { id, username }: Party,
  rest: Pick<Note, 'type' | 'content' | 'quota'>,
): Note => ({ user_id: id, username, created_at: nowSeconds(deps), ...rest })
