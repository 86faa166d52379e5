import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/databases.ts'
import { openDatabase } from '../store/database.ts'
import { openLedger } from './create-ledger.ts'

const STARTS = 55
const KEPT_RUNS_MAX = 50

test('a process that starts again and again leaves no more journals than it can read quickly', async () => {
  const place = await openTestDatabase('sqlite')
  const database = await openDatabase(place)
  const start = () =>
    openLedger({
      ...place,
      database,
      label: 'test',
      syncAlways: false,
      log: pino({ level: 'silent' }),
      keepsLog: () => ({ settled: true, void: true }),
      remindBelow: () => 0,
    })
  const runs = async () => (await readdir(join(place.dataDir, 'journal'))).length
  for (let starts = 1; starts <= STARTS; starts++) {
    await (await start()).close()
    if (starts === KEPT_RUNS_MAX) expect(await runs()).toBe(KEPT_RUNS_MAX)
  }
  // The last one has not been looked at by another start.
  expect(await runs()).toBe(KEPT_RUNS_MAX + 1)
  await database.close()
  await place.close()
})
