import { z } from 'zod'
import { ALERT_RECEIVERS } from '@tollgate/contract'

const PRICE_EVENTS = [
  'unpriced_rejected',
  'unpriced_charged',
  'sold_at_loss',
  'feed_changed',
  'feed_failed',
  'bill_differs',
  'bill_failed',
] as const

const language = z.enum(['en', 'zh'])

/**
 * A message to people outside. It waits in the outbox until it has been sent. Codes and links that
 * open an account are sealed there.
 */
export const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('verification'),
    to: z.string(),
    code_sealed: z.string(),
    minutes: z.int(),
    language,
  }),
  /** Sent to the owner of an account when a verification code is requested for its address. */
  z.object({ type: z.literal('address-in-use'), to: z.string(), language }),
  z.object({
    type: z.literal('reset'),
    to: z.string(),
    link_sealed: z.string(),
    minutes: z.int(),
    language,
  }),
  /**
   * Takes as long as a mail but sends none, so that the response time does not reveal who has an
   * account.
   */
  z.object({ type: z.literal('nothing') }),
  z.object({ type: z.literal('quota-reminder'), user_id: z.int(), remaining: z.int() }),
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
    /** Absent if the reason quotes a provider. */
    reason_zh: z.string().optional(),
  }),
  z.object({
    type: z.literal('price-alert'),
    event: z.enum(PRICE_EVENTS),
    /** The model, the feed or the bill. */
    name: z.string(),
    /** Sentences about models, days and figures; empty without any. */
    detail: z.string(),
    /** Absent in alerts of versions that wrote figures without words. */
    detail_zh: z.string().optional(),
  }),
  z.object({
    type: z.literal('rule-alert'),
    event: z.enum(['errors', 'channel_errors', 'spend', 'balance']),
    /** A channel or a day; empty for all requests. */
    name: z.string(),
    /** Figures and the threshold, as the end of a sentence. */
    detail: z.string(),
    /** Absent in alerts of versions that wrote figures without words. */
    detail_zh: z.string().optional(),
  }),
  /** Another alert, for one receiver. */
  z.object({
    type: z.literal('alert-copy'),
    receiver: z.enum(ALERT_RECEIVERS),
    alert_id: z.int(),
  }),
  /** Sent to root. The options are read when it is sent, so that one alert covers many changes. */
  z.object({ type: z.literal('identity-alert') }),
  z.object({
    type: z.literal('test-finished'),
    total: z.int(),
    failed: z.int(),
    seconds: z.int(),
  }),
])

export type Message = z.output<typeof messageSchema>

const ALERTS = ['channel-alert', 'price-alert', 'rule-alert', 'test-finished'] as const

/** A message about the operator's installation, which the console shows too. */
export type AlertMessage = Extract<Message, { type: (typeof ALERTS)[number] }>

export const isAlert = (message: Message): message is AlertMessage =>
  ALERTS.some((type) => type === message.type)
