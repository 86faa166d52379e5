import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { rule } from './problem.ts'
import { id, quota, seconds } from './units.ts'

/** Where a credit comes from. */
export const CREDIT_KINDS = [
  'code',
  'topup',
  'gift',
  'invitation',
  'welcome',
  'import',
  'adjustment',
] as const

export type CreditKind = (typeof CREDIT_KINDS)[number]

/** Credits that a statement lists; the sums include all. */
export const STATEMENT_CREDITS_MAX = 500

const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/

const month = z
  .string()
  .refine((text) => MONTH.test(text), rule('must be a month such as 2026-11', '格式须如 2026-11'))
  .meta({ examples: ['2026-11'] })

const usageRow = z.object({
  /** In the site's time zone, such as 2026-11-05. */
  day: z.string(),
  model_name: z.string(),
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  quota: z.int(),
})

const creditRow = z.object({
  created_at: seconds,
  kind: z.enum(CREDIT_KINDS),
  /** Negative if an administrator lowered the balance. */
  amount: z.int(),
  /** The administrator's remark; empty for most. */
  note: z.string(),
})

const statementSchema = z.object({
  month,
  /** The earliest month with a statement. */
  first_month: z.string(),
  /** IANA name of the zone of the days. */
  time_zone: z.string(),
  /** The month's first second, and the second after its last. */
  start: seconds,
  end: seconds,
  /** `opening` + `credited` − `charged` = `closing`, in quota units. */
  opening: z.int(),
  credited: z.int(),
  charged: z.int(),
  closing: z.int(),
  /** By day, then by model. */
  usage: z.array(usageRow),
  /** Newest first. */
  credits: z.array(creditRow),
  credit_count: z.int(),
})

export type Statement = z.output<typeof statementSchema>

const reminderSchema = z.object({
  /** Null for the threshold of the site, 0 for no mail. */
  below: quota.nullable(),
  site_below: quota,
  /** Verified; empty without one. */
  email: z.string(),
  /** Whether the site has a mail server. */
  sends_mail: z.boolean(),
})

export type OwnReminder = z.output<typeof reminderSchema>

const reminderLink = z.object({ user_id: id, signature: z.string().max(100) })

export const ownBillingEndpoints = {
  /** What the caller was credited and charged in a month; by default the current one. */
  getStatement: endpoint('GET', '/api/user/statement', 'user', {
    query: z.object({ month: month.optional() }),
    data: statementSchema,
  }),
  /** The balance below which the caller gets a mail. */
  getReminder: endpoint('GET', '/api/user/reminder', 'user', { data: reminderSchema }),
  setReminder: endpoint('PUT', '/api/user/reminder', 'user', {
    body: z.object({ below: quota }),
  }),
  /** Switches the mails off by the link in a mail, without a session. */
  stopReminder: endpoint('POST', '/api/user/reminder/stop', 'public', { body: reminderLink }),
} as const
