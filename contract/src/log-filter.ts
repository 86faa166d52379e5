import { z } from 'zod'
import { END_REASON } from './end-reason.ts'
import { rule } from './problem.ts'
import { idText, QUOTA_MAX, SECONDS_MAX, wholeNumberText } from './units.ts'

/**
 * How a request ended: settled, voided, or refused before a hold. Empty on rows that are not
 * requests.
 */
export const OUTCOMES = ['', 'settled', 'void', 'refused'] as const

/**
 * What became of a request, by its outcome and end reason. Answers that were cut off are charged up
 * to that point. The client of a cancelled request disconnected.
 */
export const LOG_RESULTS = ['answered', 'cut_off', 'failed', 'refused', 'cancelled'] as const

export type LogResult = (typeof LOG_RESULTS)[number]

export const isLogResult = (text: string): text is LogResult =>
  LOG_RESULTS.some((result) => result === text)

/** End reasons of complete answers. Rows of early versions have none. */
export const COMPLETE_REASONS: readonly string[] = [END_REASON.finished, '']

/** Null for rows that are not requests. */
export function resultOf(row: { outcome: string; end_reason: string }): LogResult | null {
  if (row.outcome === '') return null
  if (row.end_reason === END_REASON.clientLeft) return 'cancelled'
  if (row.outcome === 'refused') return 'refused'
  if (row.outcome === 'void') return 'failed'
  return COMPLETE_REASONS.includes(row.end_reason) ? 'answered' : 'cut_off'
}

/**
 * Fractions are floored, as some clients send them. Invalid input means no bound; milliseconds
 * become the largest bound.
 */
const timestamp = wholeNumberText({ least: 0, most: SECONDS_MAX })

const text = z.string().max(200).default('')

/** 0 and text that is not a number match everything; an impossible id matches nothing. */
const number = z.coerce
  .number()
  .transform((given) => (given >= 0 && given < Number.MAX_SAFE_INTEGER ? Math.floor(given) : -1))
  .catch(0)
  .default(0)

const part = text.meta({
  en: 'a part of the name in any case; * stands for any characters',
  zh: '名称的一部分，不区分大小写；* 代表任意字符',
})

const results = z
  .string()
  .max(200)
  .default('')
  .refine(
    (given) => given === '' || given.split(',').every(isLogResult),
    rule(
      `must be a list of ${LOG_RESULTS.join(', ')} with commas`,
      `必须是 ${LOG_RESULTS.join('、')} 中的值，以逗号分隔`,
    ),
  )
  .transform((given) => LOG_RESULTS.filter((result) => given.split(',').includes(result)))

/** A whole number, or null for an absent or empty one. */
const bound = (most: number) =>
  z
    .string()
    .default('')
    .refine(
      (given) => /^\d{0,16}$/.test(given) && Number(given) <= most,
      rule(`must be a whole number from 0 to ${most}`, `必须是 0 到 ${most} 的整数`),
    )
    .transform((given) => (given === '' ? null : Number(given)))

const DURATION_MS_MAX = 86_400_000

export const ownLogFilter = {
  type: number,
  token_name: text,
  model_name: text,
  start_timestamp: timestamp,
  end_timestamp: timestamp,
  request_id: text,
  outcome: results.meta({ en: 'results with commas', zh: '结果，以逗号分隔' }),
  error: text.meta({ en: 'the end reason', zh: '结束原因' }),
  endpoint: text,
  group: text,
  stream: z.enum(['', 'true', 'false']).default(''),
  model_part: part,
  token_part: part,
  min_quota: bound(QUOTA_MAX),
  max_quota: bound(QUOTA_MAX),
  min_duration: bound(DURATION_MS_MAX).meta({ en: 'in milliseconds', zh: '毫秒' }),
  max_duration: bound(DURATION_MS_MAX).meta({ en: 'in milliseconds', zh: '毫秒' }),
}

export const adminLogFilter = {
  ...ownLogFilter,
  username: text,
  user_id: idText.optional(),
  user_part: part,
  channel: number,
}

/** What the log is counted by. Only administrators count by the last three. */
export const LOG_FACETS = [
  'outcome',
  'error',
  'model',
  'token',
  'endpoint',
  'stream',
  'user',
  'channel',
  'group',
] as const

export type LogFacet = (typeof LOG_FACETS)[number]

/** Facets count the newest rows of a filter, at most this many. */
export const FACET_ROWS_MAX = 10_000
/** The most frequent values of a facet. */
export const FACET_VALUES_MAX = 20

export const facetsSchema = z.object({
  /** How many rows the counts are of. */
  counted: z.int(),
  /** The filter has older rows that are not counted. */
  more: z.boolean(),
  facets: z.array(
    z.object({
      name: z.enum(LOG_FACETS),
      /** Most frequent first. The value is what the filter of the facet takes. */
      values: z.array(z.object({ value: z.string(), label: z.string(), count: z.int() })),
    }),
  ),
})

export type LogFacets = z.output<typeof facetsSchema>
