import { setTimeout as pause } from 'node:timers/promises'
import { claimDataFolder } from '../../store/data-folder.ts'
import { openDatabase } from '../../store/database.ts'
import { registerRun } from '../close.ts'
import { createLedger } from '../create-ledger.ts'
import { request } from './ledger-world.ts'

/** A process that takes a hold and then says so until it is killed. */
const [dataDir = '', databaseUrl = '', userId, tokenId] = process.argv.slice(2)

const folder = claimDataFolder(dataDir)
const database = await openDatabase({ dataDir, databaseUrl: databaseUrl || undefined })
const run = await registerRun(database, { label: 'child', now: Date.now })
folder.addRun(run)
const keepsLog = () => ({ settled: true, void: true })
const ledger = createLedger({ database, run, now: Date.now, keepsLog, remindBelow: () => 0 })
const context = { ...request(Number(userId), Number(tokenId)), requestId: 'killed' }
const outcome = await ledger.hold(context, { least: 70, most: 70 })
process.stdout.write(`${outcome.type}\n`)
await pause(60_000)
