import { type Hold, type HoldAmount, LedgerAway } from '../../ledger/ledger.ts'

/** Takes what there is, and be it nothing; the caller looks at what that pays for. */
export async function raiseIfPossible(
  hold: Pick<Hold, 'raise'>,
  { least, most }: HoldAmount,
): Promise<void> {
  try {
    await hold.raise({ least: Math.min(least, most), most })
  } catch (error) {
    if (!(error instanceof LedgerAway)) throw error
  }
}
