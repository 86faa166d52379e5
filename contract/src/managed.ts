import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { id, seconds } from './units.ts'

/** Objects that a configuration file may manage. Own prices are named by their model. */
const MANAGED_KINDS = ['option', 'group', 'price', 'channel'] as const

export type ManagedKind = (typeof MANAGED_KINDS)[number]

const managedSchema = z.object({
  /** The name of the file that was applied last; empty before the first. */
  file: z.string(),
  /** Whether the API refuses to change what the file manages. */
  locked: z.boolean(),
  applied_at: seconds,
  options: z.array(z.string()),
  groups: z.array(z.string()),
  /** Models. */
  prices: z.array(z.string()),
  channels: z.array(id),
})

export type Managed = z.output<typeof managedSchema>

export const managedEndpoints = {
  /** What the configuration file manages that was applied last. */
  getManaged: endpoint('GET', '/api/option/managed', 'admin', { data: managedSchema }),
} as const
