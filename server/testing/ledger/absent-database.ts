import type { LedgerDatabase } from '../../src/ledger/batch.ts'

export const away = () => Promise.reject(new Error('the database is away'))

/** A database of the ledger that fails at all calls but the given ones. */
export const absentDatabase = (present: Partial<LedgerDatabase> = {}): LedgerDatabase => ({
  newEpochName: () => 'epoch-1',
  openEpoch: away,
  applyBatch: away,
  applyLate: away,
  readEpoch: away,
  closeEpoch: away,
  otherEpochs: away,
  reportFaults: away,
  ...present,
})
