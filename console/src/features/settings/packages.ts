import { z } from 'zod'

const number = z.number().nullable()

/** Top-up packages during editing; a missing number is null. */
const packagesDraft = z.object({
  packages: z.array(z.object({ usd: number, cny: number, link: z.string().optional() })),
  promotion: z.object({ percent: number, from: number, until: number }).nullable(),
})

export type PackagesDraft = z.output<typeof packagesDraft>
export type PackageDraft = PackagesDraft['packages'][number]
export type PromotionDraft = NonNullable<PackagesDraft['promotion']>

/** Null when the text is not valid packages JSON. */
export function parsePackages(text: string): PackagesDraft | null {
  try {
    return packagesDraft.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Omits `link` for packages without a link. */
export function textOfPackages({ packages, promotion }: PackagesDraft): string {
  const rows = packages.map(({ usd, cny, link }) => ({ usd, cny, ...(link ? { link } : {}) }))
  return JSON.stringify({ packages: rows, promotion }, null, 2)
}

const DAY_SECONDS = 86_400
const PERCENT_DEFAULT = 80
const DAYS_DEFAULT = 14

export const newPromotion = (nowSeconds: number): PromotionDraft => ({
  percent: PERCENT_DEFAULT,
  from: nowSeconds,
  until: nowSeconds + DAYS_DEFAULT * DAY_SECONDS,
})
