import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Every path is served under both prefixes: clients of OpenAI's old billing API use either. */
export const BILLING_PREFIXES = ['', '/v1'] as const

/** US dollars, or quota units while the option DisplayInCurrencyEnabled is off. */
const amount = z.number()

const subscriptionSchema = z.object({
  object: z.literal('billing_subscription'),
  has_payment_method: z.literal(true),
  /** Total limit: remaining plus used. */
  soft_limit_usd: amount,
  hard_limit_usd: amount,
  system_hard_limit_usd: amount,
  /** Epoch seconds; 0 when the token does not expire. */
  access_until: z.int(),
})

/** `total_usage` is in hundredths of the limits' unit. */
const usageSchema = z.object({ object: z.literal('list'), total_usage: amount })

/**
 * Billing queries a relay key makes about itself. Responses and errors have OpenAI's format,
 * without an envelope.
 */
export const billingEndpoints = {
  getBillingSubscription: endpoint('GET', '/dashboard/billing/subscription', 'relay_key', {
    data: subscriptionSchema,
  }),
  getBillingUsage: endpoint('GET', '/dashboard/billing/usage', 'relay_key', { data: usageSchema }),
} as const
