import { z } from 'zod'
import { milliseconds } from './units.ts'

/**
 * Why a channel is not simply next. Those with weight 0 and those that are cooling are asked when nothing
 * else is left; the others are not asked at all: their providers asked to be left alone for longer than a request waits,
 * the tries are used up before their turn, or they cannot serve this.
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
  'model_not_served',
  'group_not_served',
] as const

export const routeEntrySchema = z.object({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  priority: z.int(),
  weight: z.int(),
  /** What the channel calls the model; empty where it is not asked. */
  upstream_model: z.string(),
  /** When its turn comes, if all before it fail with what passes: from 1 on; 0 is never. */
  order: z.int(),
  /** Of being asked first, from 0 to 1. */
  chance: z.number(),
  reason: z.enum(ROUTE_REASONS),
  /** How long it is passed over yet. */
  ready_in: milliseconds,
  /** Of the last requests, from 0 to 1; null before the first on this node. */
  success_share: z.number().nullable(),
  /** 95 of 100 first tokens came within this; null while too few have come. */
  first_token: milliseconds.nullable(),
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
