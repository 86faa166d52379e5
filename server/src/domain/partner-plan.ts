import { GIFT_PERCENT, type Quota } from '@tollgate/contract'

/** What each side of a gift code gets on top of a redemption, rounded down. */
export const giftBonus = (quota: Quota): Quota => Math.floor((quota * GIFT_PERCENT) / 100)

/** A dollar of quota has a list price of 50 fen, of which an inviter gets 5 %: 5/2 fen. */
const FEN_FOR_TWO_DOLLARS = 5n

/** What an inviter earns by a redemption, in fen (1/100 yuan), rounded down, without any float. */
export function cashBack(quota: Quota, quotaPerUnit: number): number {
  const [whole = '', decimals = ''] = String(quotaPerUnit).split('.')
  const scale = 10n ** BigInt(decimals.length)
  return Number((BigInt(quota) * FEN_FOR_TWO_DOLLARS * scale) / (2n * BigInt(whole + decimals)))
}

const DAY_SECONDS = 24 * 3600

/** Whether an account has existed for so many days; times are epoch seconds. */
export const isOldEnough = (
  { created_time }: { created_time: number },
  { days, now }: { days: number; now: number },
): boolean => now - created_time >= days * DAY_SECONDS
