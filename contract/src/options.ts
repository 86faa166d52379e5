import { z } from 'zod'
import { emailAddress } from './email.ts'
import { endpoint, pageQuery } from './endpoint.ts'
import { OPERATION_OPTIONS } from './operation-options.ts'
import type { OptionRow } from './option-row.ts'
import { OTHER_OPTIONS } from './other-options.ts'
import { SYSTEM_OPTIONS } from './system-options.ts'
import { id, seconds } from './units.ts'

/** The whole table of options: storage, validation, the running snapshot and its editors come from it. */
export const OPTIONS = { ...SYSTEM_OPTIONS, ...OTHER_OPTIONS, ...OPERATION_OPTIONS }

export type OptionKey = keyof typeof OPTIONS

export type OptionValues = {
  readonly [Key in OptionKey]: (typeof OPTIONS)[Key] extends OptionRow<infer Value> ? Value : never
}

const entry = z.object({
  key: z
    .string()
    .max(100)
    .meta({ examples: ['RegisterEnabled'] }),
  /** With its key and its quotes it fits into a body of 1 MiB. */
  value: z.string().max(1_000_000),
})

/** One change of an option; secrets are masked on both sides. */
const optionChangeSchema = z.object({
  id,
  key: z.string(),
  actor_id: z.int(),
  actor_name: z.string(),
  before: z.string(),
  after: z.string(),
  created_at: seconds,
  /** False for a change that the super administrator has to confirm and has not. */
  confirmed: z.boolean(),
  /** Who confirmed it and when; empty and 0 for a change that needed no confirmation. */
  confirmed_by: z.string(),
  confirmed_at: seconds,
})

/** The last change of an option that waits for the super administrator. */
const unconfirmedChangeSchema = z.object({
  id,
  key: z.string(),
  actor_id: z.int(),
  actor_name: z.string(),
  /** The last confirmed value. Secrets are masked. */
  before: z.string(),
  /** The value that counts now. */
  after: z.string(),
  created_at: seconds,
})

export type UnconfirmedChange = z.output<typeof unconfirmedChangeSchema>

/** More than there are options that decide who gets into accounts. */
const CONFIRMED_AT_ONCE_MAX = 100

export const optionEndpoints = {
  listOptions: endpoint('GET', '/api/option/', 'admin', { data: z.array(entry) }),
  updateOption: endpoint('PUT', '/api/option/', 'admin', {
    body: entry,
    malformedBodyStatus: 400,
  }),
  /** Who changed what, newest first. */
  listOptionChanges: endpoint('GET', '/api/option/changes', 'admin', {
    query: pageQuery(['id']),
    data: z.array(optionChangeSchema),
  }),
  /** Administrators see what waits; only the super administrator confirms it. */
  listUnconfirmedOptions: endpoint('GET', '/api/option/unconfirmed', 'admin', {
    data: z.array(unconfirmedChangeSchema),
  }),
  /** By the ids of the changes that were looked at. If one was replaced, none is confirmed. */
  confirmOptions: endpoint('POST', '/api/option/confirm', 'root', {
    body: z.object({
      ids: z
        .array(id)
        .min(1)
        .max(CONFIRMED_AT_ONCE_MAX)
        .meta({ examples: [[17, 18]] }),
    }),
    confirmed: true,
  }),
  /** Sends a mail at once, so that the server's refusal can be shown. */
  sendTestMail: endpoint('POST', '/api/option/test_mail', 'admin', {
    body: z.object({ to: emailAddress }),
  }),
} as const
