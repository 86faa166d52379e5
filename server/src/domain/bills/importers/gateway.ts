import { z } from 'zod'
import type { BilledUse } from '../bill.ts'
import { NANO_DIGITS } from '../decimal.ts'
import type { Importer } from './importer.ts'

/*
 * The account's own log at another gateway of the One API family, read with the account's access
 * token: https://docs.newapi.pro/en/docs/api/management/logs/log-self-get
 *
 * Three forms of paging exist. One API counts pages from 0 in `p` and returns a plain list; New API
 * counts from 1 in `p` and returns `items`; one-hub counts from 1 in `page` and returns `data`.
 */

const PAGE_SIZE = 100

/** `type` of a log row that is a charge. */
const CONSUMED = 2

const rowSchema = z.object({
  created_at: z.int().min(0),
  type: z.int(),
  model_name: z.string(),
  token_name: z.string().nullish(),
  quota: z.int(),
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  request_id: z.string().nullish(),
  other: z.unknown(),
})

type Row = z.output<typeof rowSchema>

const rows = z.array(rowSchema)

const answer = z.object({
  success: z.literal(true),
  data: z.union([
    rows,
    z.object({ items: rows.nullable(), page: z.int(), total: z.int() }),
    z.object({ data: rows.nullable(), page: z.int(), total_count: z.int() }),
  ]),
})

const status = z.object({ data: z.object({ quota_per_unit: z.number().positive() }) })

const cursorSchema = z.object({
  /** Quota units per dollar, which operators change; 0 until it is known. */
  unit: z.number(),
  page: z.int(),
})

const readCursor = (text: string) => cursorSchema.parse(JSON.parse(text))

const cursorText = (cursor: z.output<typeof cursorSchema>) => JSON.stringify(cursor)

export const gatewayLog: Importer = {
  base: '',
  first: () => cursorText({ unit: 0, page: 0 }),
  request: ({ key, account }, { from, to }, cursor) => {
    const { unit, page } = readCursor(cursor)
    if (unit === 0) return { path: '/api/status', headers: {} }
    const query = new URLSearchParams({
      type: String(CONSUMED),
      // Both ends of the gateway's span are inclusive.
      start_timestamp: String(from),
      end_timestamp: String(to - 1),
      p: String(page),
      page: String(Math.max(1, page)),
      page_size: String(PAGE_SIZE),
      size: String(PAGE_SIZE),
    })
    const headers = { authorization: `Bearer ${key}` }
    return {
      path: `/api/log/self?${query.toString()}`,
      headers: account === '' ? headers : { ...headers, 'new-api-user': account },
    }
  },
  read: (json, _, text) => {
    const { unit, page } = readCursor(text)
    if (unit === 0) {
      const told = status.safeParse(json)
      if (!told.success) return null
      return { lines: [], next: cursorText({ unit: told.data.data.quota_per_unit, page: 0 }) }
    }
    const told = answer.safeParse(json)
    if (!told.success) return null
    const { list, next } = listOf(told.data.data, page)
    const lines = list.filter(({ type }) => type === CONSUMED).map((row) => lineOf(row, unit))
    return { lines, next: next === null ? null : cursorText({ unit, page: next }) }
  },
}

/** The first request has page 0, which New API and one-hub answer with page 1. */
function listOf(data: z.output<typeof answer>['data'], page: number) {
  if (Array.isArray(data)) return { list: data, next: data.length === 0 ? null : page + 1 }
  const list = ('items' in data ? data.items : data.data) ?? []
  return { list, next: list.length === 0 ? null : data.page + 1 }
}

const cacheSchema = z.object({
  cache_tokens: z.int().min(0).optional(),
  cache_creation_tokens: z.int().min(0).optional(),
  /** Anthropic's way of counting: prompt tokens exclude cached and written ones. */
  claude: z.boolean().optional(),
})

function lineOf(row: Row, unit: number): BilledUse {
  const cache = cacheSchema.safeParse(typeof row.other === 'string' ? parsed(row.other) : row.other)
  const { cache_tokens, cache_creation_tokens, claude } = cache.success ? cache.data : {}
  const cachedInput = claude === true ? (cache_tokens ?? 0) + (cache_creation_tokens ?? 0) : 0
  return {
    id: row.request_id ?? '',
    from: row.created_at,
    to: row.created_at,
    model: row.model_name,
    key: row.token_name ?? '',
    item: '',
    requests: 1,
    input: row.prompt_tokens + cachedInput,
    cached: cache_tokens ?? null,
    written: cache_creation_tokens ?? null,
    output: row.completion_tokens,
    amount: Math.round((row.quota * 10 ** NANO_DIGITS) / unit),
    currency: '',
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
