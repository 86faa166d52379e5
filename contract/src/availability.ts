import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { seconds } from './units.ts'

/** Days that the status page shows, today included. */
export const AVAILABILITY_DAYS = 90

/** Models on the status page, the most used first. */
export const AVAILABILITY_MODELS_MAX = 200

/** `untested`: a channel serves the model, but nobody has asked for it in all days. */
export const AVAILABILITY_STATES = ['healthy', 'degraded', 'down', 'untested'] as const

export type AvailabilityState = (typeof AVAILABILITY_STATES)[number]

const modelSchema = z.object({
  id: z.string(),
  /** The maker; empty if unknown. */
  vendor: z.string(),
  state: z.enum(AVAILABILITY_STATES),
  /** The share of requests that succeeded, in all days; null without requests. */
  share: z.number().nullable(),
  /** The same by day, oldest first. */
  days: z.array(z.number().nullable()),
})

export type ModelAvailability = z.output<typeof modelSchema>

const availabilitySchema = z.object({
  /** When the figures were read. */
  read_at: seconds,
  /** When the first day begins. */
  start: seconds,
  /** By maker and name. */
  models: z.array(modelSchema),
})

export type Availability = z.output<typeof availabilitySchema>

export const availabilityEndpoints = {
  /** Null unless `PublicStatusEnabled` is on. */
  getAvailability: endpoint('GET', '/api/availability', 'public', {
    data: availabilitySchema.nullable(),
  }),
} as const
