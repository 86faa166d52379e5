import type { AvailabilityState } from '@tollgate/contract'
import { DEGRADED_ATTEMPTS_MIN, DEGRADED_SHARE, FAILING_SHARE, FAULTS_MIN } from './health-word.ts'

export type Counts = { readonly requests: number; readonly failures: number }

/** What visitors read about a model, by its channels and its requests of the last two hours. */
export function availabilityState(
  { requests, failures }: Counts,
  hasChannel: boolean,
): AvailabilityState {
  if (!hasChannel) return 'down'
  if (failures < FAULTS_MIN) return 'healthy'
  const share = successShare({ requests, failures }) ?? 1
  if (share < FAILING_SHARE) return 'down'
  return requests >= DEGRADED_ATTEMPTS_MIN && share < DEGRADED_SHARE ? 'degraded' : 'healthy'
}

/** Null without requests. */
export const successShare = ({ requests, failures }: Counts): number | null =>
  requests === 0 ? null : 1 - failures / requests
