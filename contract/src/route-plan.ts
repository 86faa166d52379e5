import { z } from 'zod'
import { milliseconds } from './units.ts'

/**
 * Why a channel is not in normal rotation. Channels with weight 0 and cooling channels are a last
 * resort. Any other reason excludes the channel: its Retry-After exceeds the wait of a request, the
 * attempts run out first, or it cannot serve the request.
 */
const ROUTE_REASONS = [
  '',
  'weight_zero',
  'cooling',
  'probing',
  'left_alone',
  'no_tries_left',
  'disabled',
  'auto_disabled',
  'type_unserved',
  'key_unreadable',
  'price_unset',
  'at_loss',
  'model_not_served',
  'group_not_served',
] as const

export const routeEntrySchema = z.object({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  priority: z.int(),
  weight: z.int(),
  /** The upstream's model name; empty if the channel is not tried. */
  upstream_model: z.string(),
  /** Position from 1, if all earlier channels fail with a transient error; 0 means never. */
  order: z.int(),
  /** Probability of being the first channel, from 0 to 1. */
  chance: z.number(),
  reason: z.enum(ROUTE_REASONS),
  /** Remaining time until the channel is tried again. */
  ready_in: milliseconds,
  /** Success rate of recent requests, from 0 to 1; null before the first on this node. */
  success_share: z.number().nullable(),
  /** 95th percentile of the time to first token; null while there are too few samples. */
  first_token: milliseconds.nullable(),
  /** Sessions of the model that are bound to the channel on this node. */
  sessions: z.int(),
})

export type RouteEntry = z.output<typeof routeEntrySchema>

export type RouteReason = RouteEntry['reason']

export const routeQuery = z.object({
  model: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .meta({ examples: ['gpt-4o'] }),
  group: z.string().trim().min(1).max(100).default('default'),
})
