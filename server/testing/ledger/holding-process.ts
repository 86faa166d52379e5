import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { openLedger } from '../../src/ledger/create-ledger.ts'
import { openDatabase } from '../../src/store/database.ts'
import { request, settlement } from './ledger-world.ts'

/** Charges one request, holds another, reports that on stdout and waits until it is killed. */
const [dataDir = '', databaseUrl = '', userId, tokenId] = process.argv.slice(2)

const place = { dataDir, databaseUrl: databaseUrl === '' ? undefined : databaseUrl }
const database = await openDatabase(place)
const ledger = await openLedger({
  ...place,
  database,
  label: 'child',
  syncAlways: false,
  log: pino({ level: 'silent' }),
  keepsLog: () => ({ settled: true, void: true }),
  remindBelow: () => 0,
})

async function hold(requestId: string) {
  const context = { ...request(Number(userId), Number(tokenId)), requestId }
  const outcome = await ledger.hold(context, { min: 70, max: 70 })
  if (outcome.type !== 'held') throw new Error(outcome.type)
  return outcome.hold
}

const ended = await hold('ended')
await hold('killed')
// Reported before the next batch, so the database knows nothing of it when the process dies.
await ended.settle(settlement(30))
process.stdout.write('held\n')
await pause(60_000)
