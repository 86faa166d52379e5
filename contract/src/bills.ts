import { z } from 'zod'
import { billMappingSchema, lineProblemSchema } from './bill-mapping.ts'
import { endpoint, idParams } from './endpoint.ts'
import { rule } from './problem.ts'
import { id, seconds } from './units.ts'
import { publicRequestAddress } from './web-address.ts'

export const BILL_KINDS = [
  'openai_costs',
  'openai_usage',
  'anthropic_costs',
  'anthropic_usage',
  'openrouter',
  'gateway',
  'csv',
] as const

export type BillKind = (typeof BILL_KINDS)[number]

const DAY = 86_400

/** Longest period that is compared or requested at once. */
export const BILL_DAYS_MAX = 92

const name = z.string().trim().min(1).max(60)

const currency = z
  .string()
  .trim()
  .refine(
    (text) => /^[A-Z]{3}$/.test(text),
    rule('must be three capital letters, such as USD', '必须是三个大写字母，如 USD'),
  )

const RATE = /^\d{1,9}(?:\.\d{1,9})?$/

/** Decimal text, so that no digit is lost. */
const rate = z
  .string()
  .trim()
  .refine(
    (text) => RATE.test(text) && Number(text) > 0,
    rule('must be a number above 0', '必须是大于 0 的数字'),
  )

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== ''
  } catch {
    return false
  }
}

const TARGET = /^\d{1,15}(?::\S{1,100})?$/

const sourceFields = {
  name: name.meta({ examples: ['OpenAI'] }),
  kind: z.enum(BILL_KINDS),
  /** Empty for the vendor's own address. Another gateway needs one; a file has none. */
  url: publicRequestAddress.default('').meta({ examples: ['https://gateway.example.com'] }),
  /** The user's id at another gateway, where its API asks for one. */
  account: z.string().trim().max(100).default(''),
  /** Channels whose use this bill contains. */
  channels: z
    .array(id)
    .min(1)
    .max(200)
    .meta({ examples: [[1]] }),
  currency: currency.default('USD'),
  /** Dollars per unit of the currency; 1 for USD. */
  rate: rate.default('1'),
  /** IANA time zone of times without an offset, and of days. */
  zone: z
    .string()
    .trim()
    .max(60)
    .refine(
      isTimeZone,
      rule('must be a time zone, such as Europe/Berlin', '必须是时区，如 Asia/Shanghai'),
    )
    .default('UTC'),
  /** The recorded name of a model that the bill names otherwise. */
  aliases: z.record(z.string().min(1).max(200), z.string().trim().min(1).max(200)).default({}),
  /**
   * The channel of each key on the bill, as an id, or as `id:fingerprint` for one of several keys.
   * 0: the key is not used by this gateway. Without entries, keys are not told apart.
   */
  keys: z
    .record(
      z.string().min(1).max(200),
      z
        .string()
        .trim()
        .refine((text) => TARGET.test(text), rule('must be a channel id', '必须是渠道 ID')),
    )
    .default({}),
  /** 0: only by hand. Files are always imported by hand. */
  every_hours: z.int().min(0).max(720).default(0),
  /** A larger difference, in percent, alerts. */
  alert_percent: z.int().min(1).max(1000).default(2),
}

/** Sealed at rest and never sent back. Empty keeps the key that is stored. */
const key = z.string().trim().max(1000).default('')

type Priced = { currency: string; rate: string }

const hasRate = ({ currency, rate }: Priced) => currency !== 'USD' || Number(rate) === 1

const rateOfDollar = {
  ...rule('must be 1 for USD', '币种为 USD 时必须为 1'),
  path: ['rate'],
}

export const billSourceDraft = z.object({ ...sourceFields, key }).refine(hasRate, rateOfDollar)

const billSourceEdit = z.object({ ...sourceFields, key, id }).refine(hasRate, rateOfDollar)

export const IMPORT_STATES = ['running', 'done', 'failed'] as const

const importSchema = z.object({
  id: z.int(),
  source_id: z.int(),
  /** The file's name; empty for an import through an API. */
  file: z.string(),
  state: z.enum(IMPORT_STATES),
  /** Lines read so far. */
  rows: z.int(),
  /** Lines that were not there before, and lines that replaced an earlier version. */
  added: z.int(),
  repeated: z.int(),
  started_at: seconds,
  /** 0 while it runs. */
  ended_at: seconds,
  /** The time that the lines cover; 0 until it is known. */
  covers_from: seconds,
  covers_to: seconds,
  /** Why it failed; empty otherwise. */
  error: z.string(),
  /** At most `BILL_PROBLEMS_MAX`. */
  problems: z.array(lineProblemSchema),
})

export type BillImport = z.output<typeof importSchema>

export const BILL_PROBLEMS_MAX = 100

const sourceSchema = z.object({
  ...sourceFields,
  url: z.string(),
  id,
  key_set: z.boolean(),
  mapping: billMappingSchema.nullable(),
  /** Imports of the source, the latest first; at most five. */
  imports: z.array(importSchema),
})

export type BillSource = z.output<typeof sourceSchema>

const moment = z.coerce.number().transform(Math.floor).pipe(seconds.min(1))

const spanFields = { start_timestamp: moment, end_timestamp: moment }

type Span = { start_timestamp: number; end_timestamp: number }

const isOrdered = ({ start_timestamp, end_timestamp }: Span) => start_timestamp < end_timestamp
const isShort = ({ start_timestamp, end_timestamp }: Span) =>
  end_timestamp - start_timestamp <= BILL_DAYS_MAX * DAY

const ordered = {
  ...rule('must be after start_timestamp', '必须晚于 start_timestamp'),
  path: ['end_timestamp'],
}
const short = {
  ...rule(
    `must be at most ${BILL_DAYS_MAX} days before end_timestamp`,
    `最多早于 end_timestamp ${BILL_DAYS_MAX} 天`,
  ),
  path: ['start_timestamp'],
}

const spanQuery = z.object(spanFields).refine(isOrdered, ordered).refine(isShort, short)

/** In nano-dollars, 10^-9 dollars. */
const nano = z.int()

const sums = {
  /** Null if the bill has no amounts. */
  billed: nano.nullable(),
  recorded: nano,
  billed_input: z.int().nullable(),
  billed_output: z.int().nullable(),
  recorded_input: z.int(),
  recorded_output: z.int(),
  /** Null where the bill does not count requests. */
  billed_requests: z.int().nullable(),
  recorded_attempts: z.int(),
  /** Recorded attempts whose cost is not known. */
  unknown: z.int(),
}

export const DIFFERENCE_KINDS = [
  'unrecorded',
  'unbilled',
  'tokens',
  'price',
  'cost_unknown',
] as const

export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

const differenceSchema = z.object({
  kind: z.enum(DIFFERENCE_KINDS),
  start: seconds,
  end: seconds,
  model: z.string(),
  /** 0 if the bill does not tell channels apart. */
  channel: z.int(),
  /** Key on the bill; empty if keys are not told apart. */
  key: z.string(),
  ...sums,
})

export type BillDifference = z.output<typeof differenceSchema>

export const DIFFERENCES_MAX = 300

const summarySchema = z.object({
  source_id: z.int(),
  ...sums,
  /** Billed minus recorded; null if the bill has no amounts. */
  difference: nano.nullable(),
  /** The difference in percent of the recorded cost; null without one. */
  percent: z.number().nullable(),
  /** The part of the period that imports cover; both 0 if none do. */
  covers_from: seconds,
  covers_to: seconds,
  /** Number of differences of each kind. */
  counts: z.object({
    unrecorded: z.int(),
    unbilled: z.int(),
    tokens: z.int(),
    price: z.int(),
    cost_unknown: z.int(),
  }),
})

export type BillSummary = z.output<typeof summarySchema>

const comparisonSchema = z.object({
  summary: summarySchema,
  /** The largest first, at most `DIFFERENCES_MAX` of each kind. */
  differences: z.array(differenceSchema),
})

export type BillComparison = z.output<typeof comparisonSchema>

/** A log row, with the attempts that match. */
const billedRowSchema = z.object({
  id: z.int(),
  created_at: seconds,
  request_id: z.string(),
  username: z.string(),
  model_name: z.string(),
  outcome: z.string(),
  /** Number of matching attempts; the tokens and the cost are theirs. */
  attempts: z.int(),
  input: z.int(),
  output: z.int(),
  /** Null if the cost of an attempt is not known. */
  cost: nano.nullable(),
})

export type BilledRow = z.output<typeof billedRowSchema>

const previewSchema = z.object({
  /** Headers of the file. */
  columns: z.array(z.string()),
  /** The given mapping, or the suggested one. */
  mapping: billMappingSchema,
  /** The first lines, as they would be imported. */
  rows: z.array(
    z.object({
      from: seconds,
      to: seconds,
      model: z.string(),
      key: z.string(),
      input: z.int().nullable(),
      cached: z.int().nullable(),
      written: z.int().nullable(),
      output: z.int().nullable(),
      /** In 10^-9 units of the source's currency. */
      amount: z.int().nullable(),
    }),
  ),
  problems: z.array(lineProblemSchema),
})

export type BillPreview = z.output<typeof previewSchema>

/** Text of one part of a file. */
export const BILL_PART_CHARACTERS_MAX = 300_000

const fileMapping = billMappingSchema.meta({ examples: [{ time: 'date', amount: 'cost' }] })

const part = z.string().max(BILL_PART_CHARACTERS_MAX)

export const billEndpoints = {
  listBillSources: endpoint('GET', '/api/bill/source/', 'admin', { data: z.array(sourceSchema) }),
  createBillSource: endpoint('POST', '/api/bill/source/', 'admin', {
    body: billSourceDraft,
    data: sourceSchema,
  }),
  updateBillSource: endpoint('PUT', '/api/bill/source/', 'admin', {
    body: billSourceEdit,
    data: sourceSchema,
  }),
  /** Deletes the source and its imported lines. */
  deleteBillSource: endpoint('DELETE', '/api/bill/source/:id', 'admin', { params: idParams }),
  /** Reads the first lines of a file without importing them. */
  previewBill: endpoint('POST', '/api/bill/preview', 'admin', {
    body: z.object({ id, text: part, mapping: fileMapping.optional() }),
    data: previewSchema,
  }),
  /** Begins the import of a file, and remembers the mapping. */
  beginBillImport: endpoint('POST', '/api/bill/import/', 'admin', {
    body: z.object({
      id,
      file: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ examples: ['bill.csv'] }),
      mapping: fileMapping,
    }),
    data: importSchema,
  }),
  /** Parts are numbered from 0. The last one ends the import, which imports all lines or none. */
  addBillPart: endpoint('POST', '/api/bill/import/part', 'admin', {
    body: z.object({
      id,
      part: z.int().min(0).max(10_000),
      text: part,
      last: z.boolean().default(false),
    }),
    data: importSchema,
  }),
  /** Begins an import through the vendor's API, in the background. */
  pullBill: endpoint('POST', '/api/bill/import/pull', 'admin', {
    body: z
      .object({ id, start_timestamp: seconds.min(1), end_timestamp: seconds.min(1) })
      .refine(isOrdered, ordered)
      .refine(isShort, short),
    data: importSchema,
  }),
  /** Sums of every source in a period. */
  listBillSummaries: endpoint('GET', '/api/bill/', 'admin', {
    query: spanQuery,
    data: z.array(summarySchema),
  }),
  /** A source's sums and differences in a period. */
  compareBill: endpoint('GET', '/api/bill/source/:id/compare', 'admin', {
    params: idParams,
    query: spanQuery,
    data: comparisonSchema,
  }),
  /** Log rows of a source's channels with an attempt at the model, newest first. */
  listBilledRows: endpoint('GET', '/api/bill/source/:id/rows', 'admin', {
    params: idParams,
    query: z
      .object({
        ...spanFields,
        /** 0: all channels of the source. */
        channel: z.coerce.number().int().min(0).catch(0).default(0),
        model: z.string().max(200).default(''),
        /** Rows of lower ids, from `next`. */
        before: z.coerce.number().int().min(0).catch(0).default(0),
      })
      .refine(isOrdered, ordered)
      .refine(isShort, short),
    data: z.array(billedRowSchema),
    /** `before` of the next page; 0 after the last. */
    extra: z.object({ next: z.int() }),
  }),
} as const
