import type { Hold, Ledger } from '../src/ledger/ledger.ts'

/** Holds of a ledger whose charges neither disk nor database takes before `written`. */
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
