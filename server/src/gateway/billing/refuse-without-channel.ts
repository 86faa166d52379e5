import { END_REASON } from '@tollgate/contract'
import type { LedgerRequest } from '../../ledger/ledger.ts'
import type { Arrival, RelayDeps } from '../context.ts'
import type { Refusal } from '../errors.ts'
import { refusalOf, takeHold } from './authorize.ts'

/** Holds zero and voids the hold, so that the request appears in the log. */
export async function refuseWithoutChannel(
  { ledger, pendingSettlements, settings, clock }: RelayDeps,
  { arrivedAt }: Pick<Arrival, 'arrivedAt'>,
  { context, refusal }: { context: LedgerRequest; refusal: Refusal },
): Promise<never> {
  const outcome = await takeHold(ledger, context, { min: 0, max: 0 })
  if (outcome.type !== 'held') throw refusalOf(outcome, context, settings.current())
  await pendingSettlements.track(
    outcome.hold.void({
      content: refusal.message,
      upstreamModel: '',
      channel: 0,
      elapsedMs: clock.now() - arrivedAt,
      firstTokenMs: 0,
      endReason: END_REASON.noChannel,
      attempts: [],
    }),
  )
  throw refusal
}
