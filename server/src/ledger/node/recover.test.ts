import { cp, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { DATABASES, openTestDatabase } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { absentDatabase } from '../../../testing/ledger/absent-database.ts'
import { FOLDER, JournalWorld } from '../../../testing/ledger/journal-world.ts'
import {
  mustHold,
  openLedgerWorld,
  openTestLedger,
  request,
  settlement,
} from '../../../testing/ledger/ledger-world.ts'
import { whileLogFails } from '../../../testing/ledger/while-log-fails.ts'
import { systemClock } from '../../clock.ts'
import { openDatabase } from '../../store/database.ts'
import { audit } from '../audit/audit.ts'
import type { LedgerDatabase } from '../batch.ts'
import { recoverEpochs } from './recover.ts'

const STARTS = 55
const KEPT_EPOCHS_MAX = 50
const MONTH_MS = 31 * 86_400_000

test('a journal of many batches is applied in one go, each batch from the position of the last', async () => {
  const RECORDS = 2500
  const written = new JournalWorld()
  written.append(RECORDS)
  await written.clock.advance(1000)
  written.kill()
  const state = { position: 0, sequence: 7, isClosed: false, finishedAt: null, accounts: [] }
  const readEpoch = vi.fn(async () => ({ ...state }))
  const applyBatch: LedgerDatabase['applyBatch'] = async ({ sequence, from, to }) => {
    if (sequence !== state.sequence || from !== state.position) return { type: 'position_mismatch' }
    Object.assign(state, { sequence: sequence + 1, position: to })
    return { type: 'done', accounts: [], databaseSeconds: 0 }
  }
  await recoverEpochs({
    database: absentDatabase({
      applyBatch,
      readEpoch,
      closeEpoch: async () => {},
      reportFaults: async () => {},
    }),
    disk: written.disk.attach().disk,
    folder: dirname(FOLDER),
    clock: systemClock,
    applied: new Map(),
  })
  expect(state).toMatchObject({ position: RECORDS, sequence: 10 })
  expect(readEpoch).toHaveBeenCalledTimes(1)
})

test('a process that restarts repeatedly leaves no more journals than it can read quickly', async () => {
  const place = await openTestDatabase('sqlite')
  const database = await openDatabase(place)
  const epochs = async () => (await readdir(join(place.dataDir, 'journal'))).length
  for (let starts = 1; starts <= STARTS; starts++) {
    await (await openTestLedger({ ...place, database })).close()
    if (starts === KEPT_EPOCHS_MAX) expect(await epochs()).toBe(KEPT_EPOCHS_MAX)
  }
  // No later start has checked the last journal yet.
  expect(await epochs()).toBe(KEPT_EPOCHS_MAX + 1)
  await database.close()
  await place.close()
})

// guards: C9.5
test.each(DATABASES)(
  'a request voided by a machine whose clock is a month ahead is charged once (%s)',
  async (kind) => {
    const world = await openLedgerWorld(kind)
    const userId = await world.addUser(100)
    const context = request(userId, await world.addToken(userId))
    const hold = await mustHold(world, context, { min: 40, max: 40 })
    const copy = join(world.dataDir, 'copy')
    await cp(join(world.dataDir, 'journal'), join(copy, 'journal'), { recursive: true })
    const clock = { ...systemClock, now: () => Date.now() + MONTH_MS }
    const other = await openTestLedger({ ...world, dataDir: copy, clock })
    const rows = () =>
      world.database.kysely
        .selectFrom('logs')
        .select(['request_id', 'outcome', 'quota', 'created_at'])
        .execute()
    const { requestId: request_id, openedAt: created_at } = context
    expect(await rows()).toEqual([{ request_id, outcome: 'void', quota: 0, created_at }])
    await hold.settle(settlement(40))
    expect(await rows()).toMatchObject([{ request_id, outcome: 'settled', quota: 40 }])
    expect(await audit(world.database)).toEqual([])
    await other.close()
    await world.close()
  },
)

async function journalOf(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'journal')
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => name.endsWith('.log'))
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')))
  return texts.join('')
}

test.each(DATABASES)(
  'a record that the database refuses is quarantined after its process is gone, and blocks no start (%s)',
  async (kind) => {
    const world = await openLedgerWorld(kind)
    const { userId, tokenId } = await world.addCustomer(100)
    const hold = () => mustHold(world, request(userId, tokenId), { min: 10, max: 10 })
    const holds = [await hold(), await hold()]
    const copy = join(world.dataDir, 'copy')
    let settled: Promise<unknown>[] = []
    await whileLogFails(world.database, 'P0001', async () => {
      settled = holds.map((held) => held.settle(settlement(5)))
      await waitUntil(async () => (await journalOf(world.dataDir)).split('"settled"').length > 2)
      // The state that the next process finds after a kill.
      await cp(join(world.dataDir, 'journal'), join(copy, 'journal'), { recursive: true })
      const next = await openTestLedger({ ...world, dataDir: copy })
      await next.close()
    })
    const faults = await world.database.kysely.selectFrom('ledger_faults').selectAll().execute()
    expect(faults).toHaveLength(2)
    await Promise.all(settled)
    await world.close()
  },
)
