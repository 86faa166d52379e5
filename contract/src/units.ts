import { z } from 'zod'

/** Quota units: integers; `QuotaPerUnit` (500 000) of them are one US dollar. */
export const QUOTA_MAX = 1_000_000_000_000_000

export const quota = z.int().min(0).max(QUOTA_MAX)

/** Epoch seconds. */
export const seconds = z.int().min(0).max(253_402_300_799)

export const milliseconds = z.int().min(0)

/** Price factor; 1 is $2 per million tokens for a model ratio, and plain "times one" otherwise. */
export const ratio = z.number().min(0).max(1_000_000)

export const id = z.int().positive()

/** An id that arrives as text, in a path or a query. */
export const idText = z.coerce.number().pipe(id)

export type Quota = number
export type Seconds = number

/** What a token's budget lasts for, by the database's clock in UTC; weeks begin on Monday. */
export const BUDGET_PERIODS = ['day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]
