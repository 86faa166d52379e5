import type { EndReason, Quota } from '@tollgate/contract'
import type { RequestEnd, Settlement } from '../../src/ledger/ledger.ts'
import { basis } from '../ledger/sample-basis.ts'

export const CHANNEL_ID = 1

export const requestEnd = (endReason: EndReason, content = ''): RequestEnd => ({
  content,
  upstreamModel: 'gpt-4o-mini',
  channel: CHANNEL_ID,
  elapsedMs: 700,
  firstTokenMs: 90,
  endReason,
  attempts: [{ channel: CHANNEL_ID, status: 200, reason: '', milliseconds: 700 }],
})

export const settlementOf = (cost: Quota, content: string): Settlement => ({
  ...requestEnd('finished', content),
  cost,
  basis: basis(cost),
})
