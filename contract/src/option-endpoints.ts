import { z } from 'zod'
import { emailAddress } from './email.ts'
import { endpoint, pageQuery } from './endpoint.ts'
import { groupName } from './group-name.ts'
import { managedEndpoints } from './managed.ts'
import { id, seconds } from './units.ts'

const entry = z.object({
  key: z
    .string()
    .max(100)
    .meta({ examples: ['RegisterEnabled'] }),
  /** Leaves room for key and quotes in a 1 MiB body. */
  value: z.string().max(1_000_000),
})

/** One change of an option. Secrets are masked in `before` and `after`. */
const optionChangeSchema = z.object({
  id,
  key: z.string(),
  actor_id: z.int(),
  actor_name: z.string(),
  before: z.string(),
  after: z.string(),
  created_at: seconds,
  /** False while a change waits for the super administrator's confirmation. */
  confirmed: z.boolean(),
  /** Empty and 0 for a change that needed no confirmation. */
  confirmed_by: z.string(),
  confirmed_at: seconds,
})

/** The last change of an option that awaits the super administrator's confirmation. */
const unconfirmedChangeSchema = z.object({
  id,
  key: z.string(),
  actor_id: z.int(),
  actor_name: z.string(),
  /** The last confirmed value. Secrets are masked. */
  before: z.string(),
  /** The value in effect. */
  after: z.string(),
  created_at: seconds,
})

export type UnconfirmedChange = z.output<typeof unconfirmedChangeSchema>

/** More than the number of options that need confirmation. */
const CONFIRMED_AT_ONCE_MAX = 100

export const optionEndpoints = {
  listOptions: endpoint('GET', '/api/option/', 'admin', { data: z.array(entry) }),
  updateOption: endpoint('PUT', '/api/option/', 'admin', {
    body: entry,
    malformedBodyStatus: 400,
  }),
  /**
   * Moves all users and channels of a group to another one and removes the group, all at once. A
   * group that is new keeps the ratio and the limits of the moved one.
   */
  moveGroup: endpoint('POST', '/api/option/group/move', 'admin', {
    body: z.object({
      from: groupName.meta({ examples: ['premium'] }),
      to: groupName.meta({ examples: ['premium-2026'] }),
    }),
    data: z.object({ users: z.int(), channels: z.int() }),
  }),
  /** Newest first. */
  listOptionChanges: endpoint('GET', '/api/option/changes', 'admin', {
    query: pageQuery(['id']),
    data: z.array(optionChangeSchema),
  }),
  /** Administrators see pending changes; only the super administrator confirms them. */
  listUnconfirmedOptions: endpoint('GET', '/api/option/unconfirmed', 'admin', {
    data: z.array(unconfirmedChangeSchema),
  }),
  /** Confirms the changes with these ids. If one has been replaced since, none is confirmed. */
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
  ...managedEndpoints,
  /** Sends a mail at once, so that an SMTP error can be shown. */
  sendTestMail: endpoint('POST', '/api/option/test_mail', 'admin', {
    body: z.object({ to: emailAddress }),
  }),
} as const
