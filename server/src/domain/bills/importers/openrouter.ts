import { z } from 'zod'
import { nanoOf } from '../decimal.ts'
import { dayOf, type Importer, SECONDS_PER_DAY } from './importer.ts'

/*
 * OpenRouter's activity, read with a management key, one completed UTC day per request:
 * https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity-grouped-by-endpoint
 */

const activity = z.object({
  data: z.array(
    z.object({
      date: z.string(),
      model: z.string(),
      model_permaslug: z.string().nullish(),
      provider_name: z.string().nullish(),
      endpoint_id: z.string().nullish(),
      usage: z.number(),
      requests: z.int().min(0).nullish(),
      prompt_tokens: z.int().min(0),
      completion_tokens: z.int().min(0),
    }),
  ),
})

/** Days × models × hosts. Costs of the operator's own keys at vendors are not on this bill. */
export const openRouter: Importer = {
  base: 'https://openrouter.ai',
  first: ({ from }) => String(dayOf(from)),
  request: ({ key }, _, cursor) => ({
    path: `/api/v1/activity?date=${dateText(Number(cursor))}`,
    headers: { authorization: `Bearer ${key}` },
  }),
  read: (json, { to }, cursor) => {
    const page = activity.safeParse(json)
    if (!page.success) return null
    const from = Number(cursor)
    const amounts = page.data.data.map(({ usage }) => nanoOf(usage))
    // An answer for other days would be counted again with those days.
    const isOfDay = page.data.data.every(({ date }) => date.startsWith(dateText(from)))
    if (!isOfDay || amounts.includes(null)) return null
    const lines = page.data.data.map((row, index) => ({
      id: '',
      from,
      to: from + SECONDS_PER_DAY,
      model: row.model_permaslug ?? row.model,
      key: '',
      item: [row.provider_name ?? '', row.endpoint_id ?? ''].join(' ').trim(),
      requests: row.requests ?? null,
      input: row.prompt_tokens,
      cached: null,
      written: null,
      output: row.completion_tokens,
      amount: amounts[index] ?? null,
      currency: 'USD',
    }))
    const next = from + SECONDS_PER_DAY
    return { lines, next: next < to ? String(next) : null }
  },
}

const dateText = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
