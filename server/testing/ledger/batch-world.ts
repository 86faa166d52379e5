import { afterEach, expect } from 'vitest'
import type { Quota } from '@tollgate/contract'
import {
  type Account,
  type AccountAmount,
  tokenAccount,
  userAccount,
} from '../../src/ledger/account.ts'
import type { LedgerDatabaseDeps } from '../../src/ledger/apply/apply-batch.ts'
import { createLedgerDatabase } from '../../src/ledger/apply/ledger-database.ts'
import { audit } from '../../src/ledger/audit/audit.ts'
import { createCredits } from '../../src/ledger/balances/credit.ts'
import { createEarnings } from '../../src/ledger/balances/earnings.ts'
import type {
  AccountState,
  LeaseRequest,
  LedgerDatabase,
  Batch,
  BatchOutcome,
} from '../../src/ledger/batch.ts'
import type { Ledger, LedgerRequest, Settlement } from '../../src/ledger/ledger.ts'
import { createRecord, type EndRecord } from '../../src/ledger/record.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { type DatabaseKind, openKeptDatabase } from '../harness/databases.ts'
import { openOnce } from '../harness/open-once.ts'
import { createRowMaker, type RowMaker } from '../worlds/row-maker.ts'
import { type Accounts, accountsOf } from './accounts.ts'
import { settlement } from './ledger-world.ts'

export const NOW_MS = Date.UTC(2026, 10, 21, 12, 30)
export const NOW = NOW_MS / 1000

export const REMIND_BELOW = 300

export type BatchWorld = Accounts &
  ReturnType<typeof recordsOf> & {
    database: Database
    dataDir: string
    databaseUrl: string | undefined
    ledgerDatabase: LedgerDatabase
    /** The parts of the ledger that need no epoch. */
    ledger: Pick<Ledger, 'credit' | 'editQuota' | 'earn' | 'payOut'>
    rows: RowMaker
    node: TestNode
    errors: unknown[]
    /** The same over another connection, or with other options. */
    ledgerDatabaseWith: (deps: Partial<LedgerDatabaseDeps>) => LedgerDatabase
    close: () => Promise<void>
  }

/** A real database with one epoch on it, whose batches tests build by hand. */
export async function openBatchWorld(
  kind: DatabaseKind,
  changed: Partial<LedgerDatabaseDeps> = {},
): Promise<BatchWorld> {
  const place = await openKeptDatabase(kind)
  const database = await openDatabase(place)
  const errors: unknown[] = []
  const deps: LedgerDatabaseDeps = {
    database,
    now: () => NOW_MS,
    keepsLog: () => ({ settled: true, void: true }),
    remindBelow: () => REMIND_BELOW,
    log: { error: (error: unknown) => void errors.push(error) },
    ...changed,
  }
  const ledgerDatabase = createLedgerDatabase(deps)
  const ledger = { ...createCredits(deps), ...createEarnings(deps) }
  const secrets = deriveSecrets('a secret of the tests only')
  const rows = createRowMaker({ database, ledger, secrets })
  return {
    ...accountsOf({ database, rows }),
    ...recordsOf(database),
    database,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    ledgerDatabase,
    ledger,
    rows,
    node: await openNode(ledgerDatabase),
    errors,
    ledgerDatabaseWith: (others) => createLedgerDatabase({ ...deps, ...others }),
    close: async () => {
      await database.close()
      await place.close()
    },
  }
}

/** A world that the tests of a `describe` share, and whose books add up after each of them. */
export function openAuditedWorld(kind: DatabaseKind): BatchWorld {
  const world = openOnce(() => openBatchWorld(kind))
  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
  })
  return world
}

export type TestNode = {
  readonly epoch: string
  /** Sends one batch, whose records get the next numbers. Throws unless the batch is applied. */
  flush: (
    work: Partial<Pick<Batch, 'records' | 'releases' | 'leaseRequests'>>,
  ) => Promise<AccountState[]>
  tryFlush: (work: Partial<Batch>) => Promise<BatchOutcome>
  /** Leases exactly this amount, or throws. */
  lease: (account: Account, amount: Quota) => Promise<void>
}

export async function openNode(ledgerDatabase: LedgerDatabase): Promise<TestNode> {
  const epoch = ledgerDatabase.newEpochName()
  await ledgerDatabase.openEpoch(epoch, 'test')
  let [position, sequence] = [0, 0]
  const send = async (work: Partial<Batch>): Promise<BatchOutcome> => {
    const to = position + (work.records?.length ?? 0)
    const empty = { records: [], releases: [], leaseRequests: [] }
    const outcome = await ledgerDatabase.applyBatch({
      epoch,
      sequence,
      from: position,
      to,
      ...empty,
      ...work,
    })
    if (outcome.type === 'done') [position, sequence] = [to, sequence + 1]
    return outcome
  }
  let last: Promise<unknown> = Promise.resolve()
  /** One batch at a time, as in an epoch. */
  const tryFlush = (work: Partial<Batch>) => {
    const sent = last.then(() => send(work))
    last = sent.catch(() => {})
    return sent
  }
  const flush: TestNode['flush'] = async (work) => {
    const outcome = await tryFlush(work)
    if (outcome.type !== 'done') throw new Error(`the batch was not applied: ${outcome.type}`)
    return [...outcome.accounts]
  }
  return {
    epoch,
    tryFlush,
    flush,
    lease: async (account, amount) => {
      const before = await flush({ leaseRequests: [exactly(account, 0)] })
      const after = await flush({ leaseRequests: [exactly(account, amount)] })
      const granted = (after[0]?.lease ?? 0) - (before[0]?.lease ?? 0)
      if (granted !== amount) throw new Error(`${granted} of ${amount} was leased`)
    },
  }
}

export const exactly = (account: Account, amount: Quota): LeaseRequest => ({
  account,
  min: amount,
  max: amount,
  recentCharges: 0,
})

let requests = 0

export function request(
  userId: number,
  tokenId: number,
  changes: Partial<LedgerRequest> = {},
): LedgerRequest {
  return {
    requestId: `request${++requests}`,
    userId,
    username: 'alice',
    tokenId,
    tokenName: 'laptop',
    model: 'gpt-4o',
    isStream: false,
    openedAt: NOW,
    tokenLimited: false,
    budget: null,
    ...changes,
  }
}

type Changes = Partial<Settlement> & {
  held?: number
  at?: number
  parts?: readonly AccountAmount[]
}

/** The end of a request that held what it cost, unless `parts` says otherwise. */
export function settled(context: LedgerRequest, cost: number, changes: Changes = {}): EndRecord {
  const { held = cost, at = NOW, parts = partsOf(context, cost), ...rest } = changes
  return createRecord(context, settlement(cost, rest), { at, held, parts })
}

export function voided(context: LedgerRequest, changes: Changes = {}): EndRecord {
  const { held = 0, at = NOW, parts = partsOf(context, 0), ...rest } = changes
  // A void that a late end replaces was written without an answer, so its cost is unknown.
  const unanswered = { ...settlement(0), attempts: [], providerCost: null }
  const end = { ...unanswered, ...rest, cost: 0, basis: null } as const
  return createRecord(context, end, { at, held, parts })
}

const partsOf = ({ userId, tokenId, tokenLimited }: LedgerRequest, amount: Quota) => [
  { account: userAccount(userId), amount },
  ...(tokenLimited ? [{ account: tokenAccount(tokenId), amount }] : []),
]

/** What the database has of accounts, epochs and requests. */
const recordsOf = ({ kysely }: Database) => ({
  /** An epoch's lease on an account; undefined if there is no row. */
  leaseOf: async (
    epoch: string,
    { kind, ownerId, period }: Account,
  ): Promise<Quota | undefined> => {
    const row = await kysely
      .selectFrom('quota_leases')
      .select('amount')
      .where('run', '=', epoch)
      .where('kind', '=', kind)
      .where('owner_id', '=', ownerId)
      .where('period', '=', period)
      .executeTakeFirst()
    return row?.amount
  },

  rowsOf: (table: 'logs' | 'ledger_days' | 'rollups', userId: number) =>
    kysely.selectFrom(table).selectAll().where('user_id', '=', userId).execute(),

  faultsOf: (epoch: string) =>
    kysely.selectFrom('ledger_faults').selectAll().where('run', '=', epoch).orderBy('id').execute(),
})
