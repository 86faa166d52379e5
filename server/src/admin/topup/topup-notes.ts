import { type InBoth, maskCode, type OptionValues } from '@tollgate/contract'
import { noteText } from '../../text/amount-text.ts'

type Code = { id: number; key: string; quota: number }

/** The id finds the code in the list of codes, and its owner knows it by the ends. */
export function redeemedText(options: OptionValues, { id, key, quota }: Code): InBoth {
  const code = maskCode(key)
  const text = noteText(`通过兑换码 ${code}（#${id}）充值`, `Redeemed the code ${code} (#${id})`)
  return text(options, quota)
}

export const giftText = noteText('使用礼品码赠送', 'Bonus for using a gift code')
export const giftOwnerText = noteText('礼品码被使用赠送', 'Bonus for the use of your gift code')
export const grantText = noteText('通过 API 充值', 'Topped up by API')

const yuan = (fen: number) => `¥${(fen / 100).toFixed(2)}`

export const cashBackText = (fen: number): InBoth => ({
  en: `Cash-back for a friend's top-up: ${yuan(fen)}`,
  zh: `好友充值返现 ${yuan(fen)}`,
})

export const payoutText = (fen: number, note: string): InBoth => ({
  en: `Earnings paid out: ${yuan(fen)}${note === '' ? '' : ` (${note})`}`,
  zh: `推广收益已结算 ${yuan(fen)}${note === '' ? '' : `（${note}）`}`,
})
