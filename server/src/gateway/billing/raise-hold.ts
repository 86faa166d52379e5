import { type Hold, type HoldAmount, LedgerUnavailable } from '../../ledger/ledger.ts'

/**
 * Raises the hold as far as the balance allows, possibly not at all. Callers re-read `hold.amount`.
 */
export async function raiseIfPossible(
  hold: Pick<Hold, 'raise'>,
  { min, max }: HoldAmount,
): Promise<void> {
  try {
    await hold.raise({ min: Math.min(min, max), max })
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error
  }
}
