import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import type { Seconds } from '@tollgate/contract'
import { systemClock } from '../../src/clock.ts'
import { userAccount } from '../../src/ledger/account.ts'
import { type OpenLedger, openLedger } from '../../src/ledger/create-ledger.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import type { Database } from '../../src/store/database.ts'
import { openClockedDatabase } from '../fakes/clocked-database.ts'
import { type DatabaseKind, openKeptDatabase } from '../harness/databases.ts'
import { createRowMaker, type RowMaker } from '../worlds/row-maker.ts'

export type ClockedWorld = {
  database: Database
  ledger: OpenLedger
  rows: RowMaker
  /**
   * Sets the database's clock and this machine's, which may be ahead of a database server's. SQLite
   * uses this machine's clock.
   */
  setTime: (seconds: Seconds, changed?: { machineAhead: Seconds }) => Promise<void>
  addNode: () => Promise<OpenLedger>
  close: () => Promise<void>
}

/** A ledger on a real database, at a time that tests choose. */
export async function openClockedWorld(
  kind: DatabaseKind,
  startsAt: Seconds,
): Promise<ClockedWorld> {
  const place = await openKeptDatabase(kind)
  const { databaseUrl } = place
  const { database, setClock } = await openClockedDatabase(place, startsAt)
  const closers: (() => Promise<void>)[] = [() => database.close(), () => place.close()]
  let now = startsAt

  const addNode = async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'tollgate-node-'))
    const ledger = await openLedger({
      database,
      databaseUrl,
      dataDir,
      label: 'test',
      syncAlways: false,
      log: pino({ level: 'silent' }),
      clock: { ...systemClock, now: () => now * 1000 },
      keepsLog: () => ({ settled: true, void: true }),
      remindBelow: () => 0,
    })
    closers.unshift(async () => {
      await ledger.close()
      await rm(dataDir, { recursive: true, force: true })
    })
    return ledger
  }
  const ledger = await addNode()
  return {
    database,
    ledger,
    rows: createRowMaker({
      database,
      ledger,
      secrets: deriveSecrets('a secret of the tests only'),
    }),
    setTime: async (seconds, { machineAhead } = { machineAhead: 0 }) => {
      now = kind === 'postgres' ? seconds + machineAhead : seconds
      await setClock(seconds)
      // A node whose clock has jumped promises nothing until the database has answered.
      await ledger.revoke(userAccount(0))
    },
    addNode,
    close: async () => {
      for (const close of closers) await close()
    },
  }
}
