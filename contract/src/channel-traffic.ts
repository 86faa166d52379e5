import { z } from 'zod'
import { endpoint, idParams } from './endpoint.ts'
import { nanoDollars, quota, seconds } from './units.ts'

/** The latest failed attempt of its kind. */
const faultExample = z.object({
  /** What the provider said, without secrets. */
  reason: z.string(),
  /** HTTP status; 0 without an answer. */
  status: z.int(),
  at: seconds,
  model: z.string(),
  request_id: z.string(),
})

const trafficSchema = z.object({
  /** Every model of the channel, with the attempts of the last 24 hours. */
  models: z.array(
    z.object({
      model: z.string(),
      /** The provider's name. */
      upstream_model: z.string(),
      answers: z.int(),
      faults: z.int(),
      quota,
      provider_cost: nanoDollars,
      costed_quota: quota,
      /** Seconds until the circuit breaker lets requests through again; 0 if it does. */
      cooldown: z.int(),
      last_error: z.string(),
    }),
  ),
  /** Attempts of the last seven days by the hour. Hours without any are absent. */
  hours: z.array(z.object({ start: seconds, answers: z.int(), faults: z.int() })),
  /** Failed attempts of the last seven days by kind, the most frequent first. */
  errors: z.array(z.object({ kind: z.string(), faults: z.int(), example: faultExample })),
})

export type ChannelTraffic = z.output<typeof trafficSchema>

export const channelTrafficEndpoints = {
  /** What the models of a channel do, and what fails. */
  getChannelTraffic: endpoint('GET', '/api/channel/traffic/:id', 'admin', {
    params: idParams,
    data: trafficSchema,
  }),
} as const
