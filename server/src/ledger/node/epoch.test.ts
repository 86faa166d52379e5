import { expect, test, vi } from 'vitest'
import { absentDatabase, away } from '../../../testing/ledger/absent-database.ts'
import type { LedgerDatabase } from '../batch.ts'
import type { EpochFiles } from '../journal/epoch-files.ts'
import { finishEpoch, openEpoch, type Epoch, journalMoves } from './epoch.ts'
import { PendingRecords } from './pending-records.ts'

const fakeJournal = (written = async () => {}) =>
  ({
    isSound: () => true,
    pending: () => ({ bytes: 0, records: 0 }),
    append: vi.fn(() => 1),
    written,
    markApplied: () => {},
    close: async () => {},
    remove: () => {},
  }) satisfies EpochFiles['journal']

function openWith(register: LedgerDatabase['openEpoch']) {
  const steps: string[] = []
  const step = (name: string) => () => {
    steps.push(name)
  }
  const journal = {
    ...fakeJournal(),
    close: vi.fn(async () => step('closed')()),
    remove: step('removed'),
  }
  const opened = openEpoch({
    database: absentDatabase({
      openEpoch: (epoch, label) => {
        steps.push(`registered ${epoch} of ${label}`)
        return register(epoch, label)
      },
    }),
    openFiles: (epoch) => {
      steps.push(`folder of ${epoch}`)
      return { journal, readBack: away }
    },
    label: 'machine',
    log: { warn: () => {}, error: () => {} },
  })
  return { opened, steps, journal }
}

test('an epoch creates its folder before its row, so that the next start finds it after any crash', async () => {
  const { opened, steps } = openWith(async () => {})
  expect((await opened).name).toBe('epoch-1')
  expect(steps).toEqual(['folder of epoch-1', 'registered epoch-1 of machine'])
})

test('an epoch that could not be registered leaves no folder', async () => {
  const { opened, steps } = openWith(away)
  await expect(opened).rejects.toThrow('away')
  expect(steps.slice(2)).toEqual(['closed', 'removed'])
})

test("the error is the database's, also if the journal cannot be closed", async () => {
  const { opened, journal } = openWith(away)
  journal.close.mockRejectedValue(new Error('the disk is away'))
  await expect(opened).rejects.toThrow('the database is away')
})

const epochWith = (name: string, journal: EpochFiles['journal']): Epoch => ({
  name,
  files: { journal, readBack: away },
  pending: new PendingRecords(),
  sequence: 0,
})

test('an epoch drops a request when the journal of the next epoch has it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const old = fakeJournal()
  const to = epochWith(
    'next',
    fakeJournal(() => promise),
  )
  const moving = journalMoves(epochWith('old', old), { to, requestIds: ['a', 'b'] })
  expect(old.append).not.toHaveBeenCalled()
  resolve()
  await moving
  const moved = (requestId: string) => [{ kind: 'moved', requestId, run: 'next' }]
  expect(old.append.mock.calls).toEqual([moved('a'), moved('b')])
})

// guards: L1.8
test('an epoch keeps a request while the journal of the next epoch cannot be written', async () => {
  const old = fakeJournal()
  await journalMoves(epochWith('old', old), {
    to: epochWith('next', fakeJournal(away)),
    requestIds: ['a'],
  })
  expect(old.append).not.toHaveBeenCalled()
})

// guards: C1.6
test('an epoch whose journal cannot be closed still ends: later batches are sent', async () => {
  const close = () => Promise.reject(new Error('the disk is full'))
  const log = { warn: () => {}, error: vi.fn() }
  const database = absentDatabase({ readEpoch: async () => null, closeEpoch: async () => {} })
  const openFiles = () => ({ journal: fakeJournal(), readBack: away })
  await finishEpoch(
    { database, openFiles, label: 'machine', log },
    epochWith('former', { ...fakeJournal(), close }),
  )
  expect(log.error).toHaveBeenCalledTimes(1)
})
