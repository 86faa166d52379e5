import { z } from 'zod'
import { seconds } from './units.ts'
import { publicAddress } from './web-address.ts'

const topUpPackage = z.object({
  usd: z.number().positive().max(1_000_000),
  cny: z.number().positive().max(10_000_000),
  /** The shop's page for this package; the default is the link `shop`. */
  link: publicAddress.optional(),
})

export const topUpPackages = z.object({
  packages: z.array(topUpPackage).max(50),
  /** Shown between `from` and `until` only. */
  promotion: z
    .object({ percent: z.int().min(1).max(100), from: seconds, until: seconds })
    .nullable(),
})

export type TopUpPackages = z.output<typeof topUpPackages>

export const DEFAULT_TOP_UP_PACKAGES: TopUpPackages = {
  packages: [
    { usd: 10, cny: 4 },
    { usd: 50, cny: 20 },
    { usd: 120, cny: 48 },
    { usd: 500, cny: 200 },
    { usd: 1000, cny: 400 },
  ],
  /** 22 April to 12 May 2025, China Standard Time. */
  promotion: { percent: 40, from: 1_745_251_200, until: 1_747_065_599 },
}
