import { z } from 'zod'
import type { BilledUse } from '../bill.ts'
import { parseDecimal } from '../decimal.ts'
import { dayOf, type Importer, NO_TOKENS, type PullSpan, SECONDS_PER_DAY } from './importer.ts'
import { MORE, namesNext, nextOf } from './paging.ts'

/*
 * Anthropic's usage and cost reports, read with an admin key:
 * https://platform.claude.com/docs/en/manage-claude/usage-cost-api
 */

const BASE = 'https://api.anthropic.com'
const VERSION = '2023-06-01'

const headersOf = ({ key }: { key: string }) => ({
  'x-api-key': key,
  'anthropic-version': VERSION,
})

const time = z.string().transform((text, context) => {
  const milliseconds = Date.parse(text)
  if (!Number.isNaN(milliseconds)) return Math.floor(milliseconds / 1000)
  context.addIssue({ code: 'custom', message: 'not a time' })
  return z.NEVER
})

const pageOf = <Result extends z.ZodType>(result: Result) =>
  z
    .object({
      data: z.array(z.object({ starting_at: time, ending_at: time, results: z.array(result) })),
      ...MORE,
    })
    .refine(namesNext)

const count = z.int().min(0).nullish()

const costs = pageOf(
  z.object({
    amount: z.string(),
    currency: z.string(),
    description: z.string().nullish(),
    model: z.string().nullish(),
    cost_type: z.string().nullish(),
  }),
)

const usage = pageOf(
  z.object({
    uncached_input_tokens: z.int().min(0),
    cache_read_input_tokens: count,
    cache_creation: z
      .object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
      .nullish(),
    output_tokens: z.int().min(0),
    model: z.string().nullish(),
    api_key_id: z.string().nullish(),
  }),
)

const COST_DAYS_MAX = 31
const USAGE_HOURS_MAX = 168

function queryOf({ from, to }: PullSpan, cursor: string, settings: Record<string, string>) {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  const query = new URLSearchParams({ starting_at: iso(from), ending_at: iso(to), ...settings })
  if (cursor !== '') query.set('page', cursor)
  return query
}

/** Amounts are decimal text in cents, so two digits fewer than in dollars are left. */
const CENT_DIGITS = 7

/** Days × descriptions. This report does not tell keys apart and has no tokens. */
export const anthropicCosts: Importer = {
  base: BASE,
  first: () => '',
  request: (source, { from, to }, cursor) => {
    const days = { from: dayOf(from), to: dayOf(to + SECONDS_PER_DAY - 1) }
    const settings = { bucket_width: '1d', limit: String(COST_DAYS_MAX) }
    const query = queryOf(days, cursor, settings)
    query.append('group_by[]', 'description')
    return { path: `/v1/organizations/cost_report?${query.toString()}`, headers: headersOf(source) }
  },
  read: (json) => {
    const page = costs.safeParse(json)
    if (!page.success) return null
    const lines = page.data.data.flatMap(({ starting_at, ending_at, results }) =>
      results.map(({ amount, currency, description, model, cost_type }): BilledUse | null => {
        const nano = parseDecimal(amount, CENT_DIGITS)
        if (nano === null) return null
        return {
          id: '',
          from: starting_at,
          to: ending_at,
          model: model ?? '',
          key: '',
          item: description ?? cost_type ?? '',
          requests: null,
          ...NO_TOKENS,
          amount: nano,
          currency: currency.toUpperCase(),
        }
      }),
    )
    if (lines.includes(null)) return null
    return { lines: lines.filter((line) => line !== null), next: nextOf(page.data) }
  },
}

/** Hours × models × keys, without money. */
export const anthropicUsage: Importer = {
  base: BASE,
  first: () => '',
  request: (source, span, cursor) => {
    const settings = { bucket_width: '1h', limit: String(USAGE_HOURS_MAX) }
    const query = queryOf(span, cursor, settings)
    query.append('group_by[]', 'model')
    query.append('group_by[]', 'api_key_id')
    return {
      path: `/v1/organizations/usage_report/messages?${query.toString()}`,
      headers: headersOf(source),
    }
  },
  read: (json) => {
    const page = usage.safeParse(json)
    if (!page.success) return null
    const lines = page.data.data.flatMap(({ starting_at, ending_at, results }) =>
      results.map((result): BilledUse => {
        const cached = result.cache_read_input_tokens ?? 0
        const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } =
          result.cache_creation ?? {}
        const written = (short ?? 0) + (long ?? 0)
        return {
          id: '',
          from: starting_at,
          to: ending_at,
          model: result.model ?? '',
          key: result.api_key_id ?? '',
          item: '',
          requests: null,
          input: result.uncached_input_tokens + cached + written,
          cached,
          written,
          output: result.output_tokens,
          amount: null,
          currency: '',
        }
      }),
    )
    return { lines, next: nextOf(page.data) }
  },
}
