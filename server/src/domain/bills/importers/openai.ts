import { z } from 'zod'
import type { BilledUse } from '../bill.ts'
import { nanoOf } from '../decimal.ts'
import { dayOf, type Importer, NO_TOKENS, SECONDS_PER_DAY } from './importer.ts'
import { MORE, namesNext, nextOf } from './paging.ts'

/*
 * OpenAI's organization costs and usage, read with an admin key:
 * https://platform.openai.com/docs/api-reference/usage
 */

const BASE = 'https://api.openai.com'

const pageOf = <Result extends z.ZodType>(result: Result) =>
  z
    .object({
      data: z.array(z.object({ start_time: z.int(), end_time: z.int(), results: z.array(result) })),
      ...MORE,
    })
    .refine(namesNext)

const costs = pageOf(
  z.object({
    amount: z.object({ value: z.union([z.number(), z.string()]), currency: z.string() }).nullish(),
    line_item: z.string().nullish(),
    api_key_id: z.string().nullish(),
    project_id: z.string().nullish(),
    quantity: z.number().nullish(),
    quantity_unit: z.string().nullish(),
  }),
)

const count = z.int().min(0).nullish()

const usage = pageOf(
  z.object({
    input_tokens: z.int().min(0),
    input_cached_tokens: count,
    input_cache_write_tokens: count,
    output_tokens: count,
    num_model_requests: count,
    model: z.string().nullish(),
    api_key_id: z.string().nullish(),
    service_tier: z.string().nullish(),
  }),
)

const COST_DAYS_MAX = 180
const USAGE_HOURS_MAX = 168

const headersOf = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` })

/** Days × line items × keys. A line item is a model and a kind of token, such as `gpt-6, input`. */
export const openaiCosts: Importer = {
  base: BASE,
  first: () => '',
  request: (source, { from, to }, cursor) => {
    const query = new URLSearchParams({
      start_time: String(dayOf(from)),
      end_time: String(dayOf(to + SECONDS_PER_DAY - 1)),
      bucket_width: '1d',
      limit: String(COST_DAYS_MAX),
    })
    query.append('group_by[]', 'line_item')
    query.append('group_by[]', 'api_key_id')
    if (cursor !== '') query.set('page', cursor)
    return { path: `/v1/organization/costs?${query.toString()}`, headers: headersOf(source) }
  },
  read: (json) => {
    const page = costs.safeParse(json)
    if (!page.success) return null
    const lines = page.data.data.flatMap(({ start_time, end_time, results }) =>
      results.map((result): BilledUse | null => {
        const { amount, line_item, api_key_id, quantity, quantity_unit } = result
        const nano = nanoOf(amount?.value ?? 0)
        if (nano === null) return null
        const { model, kind } = splitLineItem(line_item ?? '')
        return {
          id: '',
          from: start_time,
          to: end_time,
          model,
          key: api_key_id ?? '',
          item: line_item ?? '',
          requests: null,
          ...tokensOf(kind, wholeTokens(quantity, quantity_unit)),
          amount: nano,
          currency: (amount?.currency ?? '').toUpperCase(),
        }
      }),
    )
    if (lines.includes(null)) return null
    return { lines: lines.filter((line) => line !== null), next: nextOf(page.data) }
  },
}

/** The part after the last comma says what is billed; its wording differs between models. */
function splitLineItem(item: string): { model: string; kind: string } {
  const comma = item.lastIndexOf(',')
  if (comma === -1) return { model: '', kind: '' }
  return {
    model: item.slice(0, comma).trim(),
    kind: item
      .slice(comma + 1)
      .trim()
      .toLowerCase(),
  }
}

function wholeTokens(quantity: number | null | undefined, unit: string | null | undefined) {
  if (typeof quantity !== 'number') return null
  if (unit === 'tokens') return Math.round(quantity)
  return unit === '1000_tokens' ? Math.round(quantity * 1000) : null
}

function tokensOf(kind: string, tokens: number | null) {
  if (/writ/.test(kind)) return { ...NO_TOKENS, input: tokens, written: tokens }
  if (/cached/.test(kind)) return { ...NO_TOKENS, input: tokens, cached: tokens }
  if (/output/.test(kind)) return { ...NO_TOKENS, output: tokens }
  return /input/.test(kind) ? { ...NO_TOKENS, input: tokens } : NO_TOKENS
}

/** Reports with tokens by model. Cursors are `report` or `report page`. */
const REPORTS = ['completions', 'embeddings'] as const

/** Hours × models × keys, without money. */
export const openaiUsage: Importer = {
  base: BASE,
  first: () => REPORTS[0],
  request: (source, { from, to }, cursor) => {
    const [report = '', page = ''] = cursor.split(' ')
    const query = new URLSearchParams({
      start_time: String(from),
      end_time: String(to),
      bucket_width: '1h',
      limit: String(USAGE_HOURS_MAX),
    })
    query.append('group_by[]', 'model')
    query.append('group_by[]', 'api_key_id')
    if (page !== '') query.set('page', page)
    return {
      path: `/v1/organization/usage/${report}?${query.toString()}`,
      headers: headersOf(source),
    }
  },
  read: (json, _, cursor) => {
    const page = usage.safeParse(json)
    if (!page.success) return null
    const [report = ''] = cursor.split(' ')
    const lines = page.data.data.flatMap(({ start_time, end_time, results }) =>
      results.map((result) => ({
        id: '',
        from: start_time,
        to: end_time,
        model: result.model ?? '',
        key: result.api_key_id ?? '',
        item: report,
        requests: result.num_model_requests ?? null,
        input: result.input_tokens,
        cached: result.input_cached_tokens ?? null,
        written: result.input_cache_write_tokens ?? null,
        output: result.output_tokens ?? null,
        amount: null,
        currency: '',
      })),
    )
    const next = nextOf(page.data)
    const later = REPORTS[REPORTS.findIndex((name) => name === report) + 1] ?? null
    return { lines, next: next === null ? later : `${report} ${next}` }
  },
}
