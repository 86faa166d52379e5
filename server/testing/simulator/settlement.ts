import type { EndReason, Quota } from '@tollgate/contract'
import type { RequestEnd, Settlement } from '../../src/ledger/ledger.ts'
import { basis } from '../ledger/sample-basis.ts'

export const CHANNEL_ID = 1
/** A channel that lost to its hedge, and was deleted since. */
const OTHER_CHANNEL_ID = 2

/** Two attempts that cost their providers something, whatever was charged. */
function costing(charge: Quota) {
  const attempt = { status: 200, reason: '', milliseconds: 700, cost_source: 'list' } as const
  const [lost, served] = [5, 11 * charge]
  return {
    attempts: [
      { ...attempt, channel: OTHER_CHANNEL_ID, cost: lost },
      { ...attempt, channel: CHANNEL_ID, cost: served },
    ],
    providerCost: lost + served,
  }
}

export const requestEnd = (endReason: EndReason, content = ''): RequestEnd => ({
  content,
  upstreamModel: 'gpt-4o-mini',
  channel: CHANNEL_ID,
  elapsedMs: 700,
  firstTokenMs: 90,
  endReason,
  ...costing(0),
})

export const settlementOf = (cost: Quota, content: string): Settlement => ({
  ...requestEnd('finished', content),
  ...costing(cost),
  cost,
  basis: basis(cost),
})
