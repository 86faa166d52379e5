import { PAYOUT_FEN_MIN } from '@tollgate/contract'

const yuan = new Intl.NumberFormat('zh-CN', { style: 'currency', currency: 'CNY' })

/** Formats fen (1/100 yuan) as yuan. */
export const formatFen = (fen: number) => yuan.format(fen / 100)

/** Plan constants. Earnings in yuan are the dollars topped up × `rate` × `percent` %. */
export const PLAN = {
  rate: 0.5,
  percent: 5,
  withdrawalFenMin: PAYOUT_FEN_MIN,
  reviewHours: 24,
} as const

/** Earnings in fen for a top-up in dollars. */
export const earnedFen = (usd: number) => Math.floor(usd * PLAN.rate * PLAN.percent)

/** Amount missing until the payout minimum, in fen; 0 once reached. */
export const missingFen = (fen: number) => Math.max(0, PLAN.withdrawalFenMin - fen)

/** Registration link for invited friends; the link ends with the gift code. */
export const inviteLink = (serverAddress: string, affCode: string) =>
  `${serverAddress}/register?aff=${encodeURIComponent(affCode)}`
