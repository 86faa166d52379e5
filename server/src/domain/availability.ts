import type { AvailabilityState } from '@tollgate/contract'
import { DEGRADED_ATTEMPTS_MIN, DEGRADED_SHARE, FAILING_SHARE, FAULTS_MIN } from './health-word.ts'

export type Counts = { readonly requests: number; readonly failures: number }

export type ModelRecord = {
  /** An enabled channel serves it. */
  readonly hasChannel: boolean
  /** Somebody asked for it in the days that the page shows. */
  readonly wasAsked: boolean
  /** Its requests of the last two hours. */
  readonly recent: Counts
}

/** What visitors read about a model. */
export function availabilityState({
  hasChannel,
  wasAsked,
  recent: { requests, failures },
}: ModelRecord): AvailabilityState {
  if (!hasChannel) return 'down'
  if (!wasAsked) return 'untested'
  if (failures < FAULTS_MIN) return 'healthy'
  const share = successShare({ requests, failures }) ?? 1
  if (share < FAILING_SHARE) return 'down'
  return requests >= DEGRADED_ATTEMPTS_MIN && share < DEGRADED_SHARE ? 'degraded' : 'healthy'
}

/** Null without requests. */
export const successShare = ({ requests, failures }: Counts): number | null =>
  requests === 0 ? null : 1 - failures / requests
