import { z } from 'zod'

const language = z.enum(['en', 'zh'])

/**
 * What people outside are to be told. It waits in the outbox until it was sent; what opens an account
 * is sealed there.
 */
export const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('verification'),
    to: z.string(),
    code_sealed: z.string(),
    minutes: z.int(),
    language,
  }),
  /** To somebody who has an account already and asked for a code all the same. */
  z.object({ type: z.literal('address-in-use'), to: z.string(), language }),
  z.object({
    type: z.literal('reset'),
    to: z.string(),
    link_sealed: z.string(),
    minutes: z.int(),
    language,
  }),
  /** Takes the time of a mail and sends none, so that nobody can tell who has an account. */
  z.object({ type: z.literal('nothing') }),
  /** `remaining` is the quota that is left. */
  z.object({ type: z.literal('quota-reminder'), user_id: z.int(), remaining: z.int() }),
  /** To the owner of an account. */
  z.object({
    type: z.literal('second-factor'),
    user_id: z.int(),
    event: z.enum([
      'totp_added',
      'totp_removed',
      'passkey_added',
      'passkey_removed',
      'recovery_codes_made',
      'recovery_code_used',
      'reset',
    ]),
  }),
  z.object({
    type: z.literal('channel-alert'),
    channel_id: z.int(),
    name: z.string(),
    event: z.enum(['disabled', 'enabled', 'slow', 'misreported']),
    reason: z.string(),
    /** Absent where the reason is somebody else's words. */
    reason_zh: z.string().optional(),
  }),
  /** To root; the options are read when it is sent, so that one alert tells of many changes. */
  z.object({ type: z.literal('identity-alert') }),
  z.object({
    type: z.literal('test-finished'),
    total: z.int(),
    failed: z.int(),
    seconds: z.int(),
  }),
])

export type Message = z.output<typeof messageSchema>
