import { pino } from 'pino'
import { systemClock } from '../../src/clock.ts'
import { type OpenLedger, openLedger } from '../../src/ledger/create-ledger.ts'
import type { Hold, HoldOutcome, LedgerRequest, Settlement } from '../../src/ledger/ledger.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { type DatabaseKind, openKeptDatabase } from '../harness/databases.ts'
import { createRowMaker, type RowMaker } from '../worlds/row-maker.ts'
import { type Accounts, accountsOf } from './accounts.ts'
import { basis } from './sample-basis.ts'

export const NOW_MS = Date.UTC(2026, 10, 21, 12, 30)

const REMIND_BELOW = 300

export type LedgerWorld = Accounts & {
  database: Database
  dataDir: string
  databaseUrl: string | undefined
  ledger: OpenLedger
  rows: RowMaker
  close: () => Promise<void>
}

type LedgerDeps = Parameters<typeof openLedger>[0]

/** The ledger of a process that starts on this database and this folder. */
export const openTestLedger = (
  place: Pick<LedgerDeps, 'database' | 'databaseUrl' | 'dataDir'> & Partial<LedgerDeps>,
) =>
  openLedger({
    label: 'test',
    syncAlways: false,
    log: pino({ level: 'silent' }),
    keepsLog: () => ({ settled: true, void: true }),
    remindBelow: () => REMIND_BELOW,
    ...place,
  })

export async function openLedgerWorld(kind: DatabaseKind): Promise<LedgerWorld> {
  const place = await openKeptDatabase(kind)
  const database = await openDatabase(place)
  const clock = { ...systemClock, now: () => NOW_MS }
  const ledger = await openTestLedger({ ...place, database, clock })
  const secrets = deriveSecrets('a secret of the tests only')
  const rows = createRowMaker({ database, ledger, secrets })
  return {
    ...accountsOf({ database, rows }),
    database,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    ledger,
    rows,
    close: async () => {
      await ledger.close()
      await database.close()
      await place.close()
    },
  }
}

let requests = 0

export function request(
  userId: number,
  tokenId: number,
  limits: Partial<Pick<LedgerRequest, 'tokenLimited' | 'budget'>> = {},
): LedgerRequest {
  return {
    requestId: `request${++requests}`,
    userId,
    username: 'alice',
    tokenId,
    tokenName: 'laptop',
    model: 'gpt-4o',
    isStream: false,
    openedAt: Math.floor(NOW_MS / 1000),
    tokenLimited: false,
    budget: null,
    ...limits,
  }
}

/**
 * A settlement whose basis is one prompt token per unit of cost, and which cost its provider some
 * nano-dollars.
 */
export function settlement(cost: number, changes: Partial<Settlement> = {}): Settlement {
  const { channel = 0 } = changes
  const attempt = { channel, status: 200, reason: '', milliseconds: 700 }
  const providerCost = 7 * cost + 3
  return {
    content: '',
    upstreamModel: 'gpt-4o-mini',
    channel: 0,
    elapsedMs: 700,
    firstTokenMs: 90,
    endReason: 'finished',
    attempts: [{ ...attempt, cost: providerCost, cost_source: 'list' }],
    providerCost,
    cost,
    basis: basis(cost),
    ...changes,
  }
}

/**
 * Takes the hold or fails the test. A limited token is held too, as in the gateway. Ending the hold
 * waits until the database shows the end.
 */
export async function mustHold(
  world: LedgerWorld,
  context: LedgerRequest,
  amount: { min: number; max: number },
): Promise<Hold> {
  const outcome = await holdAs(world, context, amount)
  if (outcome.type !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
  const { hold } = outcome
  return {
    get amount() {
      return hold.amount
    },
    raise: (more) => hold.raise(more),
    settle: async (charge) => {
      await hold.settle(charge)
      await world.ledger.whenApplied()
    },
    void: async (end) => {
      await hold.void(end)
      await world.ledger.whenApplied()
    },
  }
}

/** Holds with what the gateway would know of the token. */
export async function holdAs(
  world: LedgerWorld,
  context: LedgerRequest,
  amount: { min: number; max: number },
): Promise<HoldOutcome> {
  const { unlimited_quota } = await world.token(context.tokenId)
  return world.ledger.hold({ ...context, tokenLimited: unlimited_quota === 0 }, amount)
}
