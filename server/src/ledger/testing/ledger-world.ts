import type { ChargeBasis } from '@tollgate/contract'
import { type DatabaseKind, openTestDatabase } from '../../../testing/databases.ts'
import { createRowMaker, type RowMaker } from '../../../testing/row-maker.ts'
import { deriveSecrets } from '../../secrets.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { registerRun } from '../close.ts'
import { createLedger } from '../create-ledger.ts'
import type { Ledger, RequestContext, Settlement } from '../ledger.ts'

export const NOW_MS = Date.UTC(2026, 10, 21, 12, 30)

export const REMIND_BELOW = 300

export type LedgerWorld = {
  database: Database
  dataDir: string
  databaseUrl: string | undefined
  ledger: Ledger
  rows: RowMaker
  run: string
  close: () => Promise<void>
}

/** A real database with one run and a ledger on it. */
export async function openLedgerWorld(
  kind: DatabaseKind,
  keepsLog = { settled: true, void: true },
): Promise<LedgerWorld> {
  const place = await openTestDatabase(kind)
  const database = await openDatabase(place)
  const now = () => NOW_MS
  const run = await registerRun(database, { label: 'test', now })
  const ledger = createLedger({
    database,
    run,
    now,
    keepsLog: () => keepsLog,
    remindBelow: () => REMIND_BELOW,
  })
  return {
    database,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    ledger,
    rows: createRowMaker({
      database,
      ledger,
      secrets: deriveSecrets('a secret of the tests only'),
    }),
    run,
    close: async () => {
      await database.close()
      await place.close()
    },
  }
}

/** A user with a balance, booked as its first credit. */
export const addUser = ({ rows }: LedgerWorld, quota: number) => rows.addUser({ quota })

/** A token; without `quota` it is unlimited. */
export async function addToken(
  { rows }: LedgerWorld,
  user: number,
  quota?: number,
): Promise<number> {
  const { id } = await rows.addToken({ user, ...(quota === undefined ? {} : { quota }) })
  return id
}

export const addChannel = ({ rows }: LedgerWorld) => rows.addChannel({ base_url: '' })

let requests = 0

export function request(userId: number, tokenId: number): RequestContext {
  return {
    requestId: `request${++requests}`,
    userId,
    username: 'alice',
    tokenId,
    tokenName: 'laptop',
    model: 'gpt-4o',
    isStream: false,
    openedAt: Math.floor(NOW_MS / 1000),
  }
}

/** A settlement whose basis is one prompt token per unit of cost. */
export function settlement(cost: number, changes: Partial<Settlement> = {}): Settlement {
  return {
    content: '',
    upstreamModel: 'gpt-4o-mini',
    channel: 0,
    elapsedMs: 700,
    firstTokenMs: 90,
    endReason: 'stop',
    attempts: [{ channel: 1, status: 200, reason: '', milliseconds: 700 }],
    cost,
    basis: basis(cost),
    ...changes,
  }
}

export function basis(cost: number): ChargeBasis {
  return {
    price_model: 'gpt-4o',
    price_version: 'test',
    model_ratio: 1,
    completion_ratio: 1,
    cache_ratio: 1,
    cache_write_ratio: 1,
    group: 'default',
    group_ratio: 1,
    prompt_tokens: cost,
    cached_tokens: 0,
    cache_write_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    usage_source: 'reported',
    held: 0,
    cost,
  }
}

/** Takes the hold or fails the test. */
export async function mustHold(
  { ledger }: LedgerWorld,
  context: RequestContext,
  amount: { least: number; most: number },
) {
  const outcome = await ledger.hold(context, amount)
  if (outcome.type !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
  return outcome.hold
}

export const user = ({ database }: LedgerWorld, id: number) =>
  database.kysely.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const token = ({ database }: LedgerWorld, id: number) =>
  database.kysely.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
