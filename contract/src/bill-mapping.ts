import { z } from 'zod'

/** What a column of a bill may be. `time` is the only one that every file needs. */
export const BILL_COLUMNS = [
  'time',
  'end',
  'model',
  'key',
  'item',
  'id',
  'requests',
  'input',
  'uncached',
  'cached',
  'written',
  'output',
  'amount',
  'currency',
] as const

export type BillColumn = (typeof BILL_COLUMNS)[number]

/** The header of the column for each meaning; empty if the file has no such column. */
const header = z.string().trim().max(200).default('')

// Safe because the keys are the names of the list.
const columns = Object.fromEntries(BILL_COLUMNS.map((name) => [name, header])) as Record<
  BillColumn,
  typeof header
>

/** How the columns of a CSV file are read. `input` includes cached tokens, `uncached` does not. */
export const billMappingSchema = z.object({
  ...columns,
  /** What a line covers that has a time and no end. */
  span: z.enum(['moment', 'hour', 'day']).default('moment'),
  decimal: z.enum(['.', ',']).default('.'),
})

export type BillMapping = z.output<typeof billMappingSchema>

export const LINE_PROBLEMS = [
  'empty',
  'not_a_time',
  'ambiguous_time',
  'time_order',
  'not_a_number',
  'not_a_count',
  'too_large',
  'other_currency',
  'column_count',
  'unclosed_quote',
  'no_column',
] as const

/** A problem of a line, or of the whole file if `line` is 0. */
export const lineProblemSchema = z.object({
  line: z.int(),
  /** Header of the column; empty if the problem concerns the whole line. */
  column: z.string(),
  problem: z.enum(LINE_PROBLEMS),
})

export type LineProblem = z.output<typeof lineProblemSchema>
