import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Each path is served below each of these: clients of OpenAI's old billing pages ask either way. */
export const BILLING_PREFIXES = ['', '/v1'] as const

/** In dollars, or in units of quota where the option DisplayInCurrencyEnabled is off. */
const amount = z.number()

const subscriptionSchema = z.object({
  object: z.literal('billing_subscription'),
  has_payment_method: z.literal(true),
  /** What may be spent in all, which is what is left and what was used. */
  soft_limit_usd: amount,
  hard_limit_usd: amount,
  system_hard_limit_usd: amount,
  /** Epoch seconds; 0 when the token does not expire. */
  access_until: z.int(),
})

/** The unit is a hundredth of that of the limits. */
const usageSchema = z.object({ object: z.literal('list'), total_usage: amount })

/** What a relay key can ask about itself. Answers and errors are OpenAI's, without an envelope. */
export const billingEndpoints = {
  getBillingSubscription: endpoint('GET', '/dashboard/billing/subscription', 'relay_key', {
    data: subscriptionSchema,
  }),
  getBillingUsage: endpoint('GET', '/dashboard/billing/usage', 'relay_key', { data: usageSchema }),
} as const
