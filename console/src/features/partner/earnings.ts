import { PAYOUT_FEN_MIN } from '@tollgate/contract'

const yuan = new Intl.NumberFormat('zh-CN', { style: 'currency', currency: 'CNY' })

/** Fen (1/100 yuan) as yuan. */
export const formatFen = (fen: number) => yuan.format(fen / 100)

/** The plan in figures: earned is the dollars topped up × `rate` × `percent` %, in yuan. */
export const PLAN = {
  rate: 0.5,
  percent: 5,
  withdrawalFenMin: PAYOUT_FEN_MIN,
  reviewHours: 24,
} as const

/** What an invitation earns when so many dollars are topped up, in fen. */
export const earnedFen = (usd: number) => Math.floor(usd * PLAN.rate * PLAN.percent)

/** How much is missing until earnings are paid out, in fen; 0 when they are enough. */
export const missingFen = (fen: number) => Math.max(0, PLAN.withdrawalFenMin - fen)

/** Where an invited friend registers. The gift code is its end. */
export const inviteLink = (serverAddress: string, affCode: string) =>
  `${serverAddress}/register?aff=${encodeURIComponent(affCode)}`
