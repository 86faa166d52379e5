import type { Hold, Ledger } from '../../src/ledger/ledger.ts'

/** Runs `first` ahead of this operation of every hold, which fails if `first` does. */
export function delaying(
  ledger: Pick<Ledger, 'hold'>,
  what: 'raise' | 'settle',
  first: () => void | Promise<void>,
): Ledger['hold'] {
  const take = ledger.hold.bind(ledger)
  return async (...asked) => {
    const outcome = await take(...asked)
    if (outcome.type !== 'held') return outcome
    const { hold } = outcome
    const late: Hold = {
      get amount() {
        return hold.amount
      },
      raise: async (amount) => {
        if (what === 'raise') await first()
        return hold.raise(amount)
      },
      settle: async (settlement) => {
        if (what === 'settle') await first()
        return hold.settle(settlement)
      },
      void: (end) => hold.void(end),
    }
    return { type: 'held', hold: late }
  }
}

/** A ledger whose holds stop before this operation, until `letGo` is called. */
export function stoppingBefore(what: 'raise' | 'settle') {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  let stopped = 0
  const withLedger = (ledger: Ledger): Ledger => ({
    ...ledger,
    hold: delaying(ledger, what, () => {
      stopped += 1
      return promise
    }),
  })
  return { withLedger, isReached: async () => stopped > 0, letGo }
}
