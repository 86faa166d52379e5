import { createCredits } from './credit.ts'
import { createEarnings } from './earnings.ts'
import { openHold } from './hold.ts'
import type { Ledger, LedgerDeps } from './ledger.ts'

export function createLedger(deps: LedgerDeps): Ledger {
  return {
    hold: (context, amount) => openHold(deps, context, amount),
    ...createCredits(deps),
    ...createEarnings(deps),
  }
}
