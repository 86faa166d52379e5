import type { Hold, Ledger } from '../../src/ledger/ledger.ts'

/** Delays every settlement of the ledger until `written` resolves. */
export const settlingAfter =
  (written: Promise<void>, ledger: Ledger, onSettling = () => {}): Ledger['hold'] =>
  async (...asked) => {
    const outcome = await ledger.hold(...asked)
    if (outcome.type !== 'held') return outcome
    const { hold } = outcome
    const settle: Hold['settle'] = async (settlement) => {
      onSettling()
      await written
      return hold.settle(settlement)
    }
    const late: Hold = {
      get amount() {
        return hold.amount
      },
      raise: (amount) => hold.raise(amount),
      void: (end) => hold.void(end),
      settle,
    }
    return { type: 'held', hold: late }
  }
