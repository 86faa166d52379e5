import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CostDimension, type CostRow, NANO_DOLLARS, statEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

export type CostSpan = { start_timestamp: number; end_timestamp: number }

const DAYS = 30
const HOUR = 3600
/** Sums of hours change slowly, and parts of a page that open later share them. */
const FRESH_MS = 5 * 60_000

/** The last 30 days up to the end of this hour, in epoch seconds. */
export function marginSpan(now: number): CostSpan {
  const end = (Math.floor(now / HOUR) + 1) * HOUR
  return { start_timestamp: end - DAYS * 24 * HOUR, end_timestamp: end }
}

type Asked = {
  /** Components that ask for the same dimensions share a call. */
  by: readonly CostDimension[]
  span: CostSpan
  /** Absent for those with the highest charges. */
  keys?: readonly string[]
}

/** Only administrators may ask. */
export const useCosts = ({ by, span, keys = [] }: Asked, isAsked = true) =>
  useQuery({
    queryKey: ['stat', 'costs', by, span, keys],
    queryFn: async ({ signal }) => {
      const query = {
        ...span,
        by: by.join(','),
        keys: keys.length === 0 ? '' : JSON.stringify(keys),
      }
      return (await call(statEndpoints.listCosts, { query }, signal)).data
    },
    enabled: isAsked,
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    // Each place says itself that there are no figures.
    meta: { quiet: true },
  })

/** All amounts in dollars, for the requests whose cost is known. */
export type Margin = {
  charge: number
  cost: number
  amount: number
  /** Part of the charge; null without a charge. */
  share: number | null
  /** The part of all charges whose cost is known, from 0 to 1. */
  known: number
}

type Sums = Pick<CostRow, 'quota' | 'provider_cost' | 'costed_quota'>

/** Null if no cost is known. */
export function marginOf(rows: readonly Sums[], quotaPerUnit: number): Margin | null {
  const sum = (name: keyof Sums) => rows.reduce((total, row) => total + row[name], 0)
  const [quota, costed] = [sum('quota'), sum('costed_quota')]
  const cost = sum('provider_cost') / NANO_DOLLARS
  if (costed === 0 && cost === 0) return null
  const charge = costed / quotaPerUnit
  const amount = charge - cost
  const share = charge === 0 ? null : amount / charge
  return { charge, cost, amount, share, known: quota === 0 ? 1 : costed / quota }
}
