import { GIFT_PERCENT, type Quota } from '@tollgate/contract'

/** Bonus for each side of a gift code on top of a redemption, rounded down. */
export const giftBonus = (quota: Quota): Quota => Math.floor((quota * GIFT_PERCENT) / 100)

/** A dollar of quota has a list price of 50 fen. An inviter gets 5 % of that: 5/2 fen. */
const FEN_FOR_TWO_DOLLARS = 5n

/**
 * An inviter's earnings from a redemption, in fen (1/100 yuan), rounded down, without floating
 * point.
 */
export function cashBack(quota: Quota, quotaPerUnit: number): number {
  const [integer = '', decimals = ''] = String(quotaPerUnit).split('.')
  const scale = 10n ** BigInt(decimals.length)
  return Number((BigInt(quota) * FEN_FOR_TWO_DOLLARS * scale) / (2n * BigInt(integer + decimals)))
}

const DAY_SECONDS = 24 * 3600

/** Times are in epoch seconds. */
export const isOldEnough = (
  { created_time }: { created_time: number },
  { days, now }: { days: number; now: number },
): boolean => now - created_time >= days * DAY_SECONDS
