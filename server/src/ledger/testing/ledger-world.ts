import type { ChargeBasis } from '@tollgate/contract'
import { type DatabaseKind, openTestDatabase } from '../../../testing/databases.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { registerRun } from '../close.ts'
import { createLedger, type Ledger, type RequestContext, type Settlement } from '../ledger.ts'

export const NOW_MS = Date.UTC(2026, 10, 21, 12, 30)

export type LedgerWorld = {
  database: Database
  dataDir: string
  databaseUrl: string | undefined
  ledger: Ledger
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
  const ledger = createLedger({ database, run, now, keepsLog: () => keepsLog })
  return {
    database,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    ledger,
    run,
    close: async () => {
      await database.close()
      await place.close()
    },
  }
}

let made = 0

/** A user with a balance, booked as its first credit. */
export async function addUser({ database, ledger }: LedgerWorld, quota: number): Promise<number> {
  const name = `user${++made}`
  return database.transaction(async (tx) => {
    const { id } = await tx
      .insertInto('users')
      .values({
        username: name,
        password_hash: '',
        display_name: name,
        role: 1,
        status: 1,
        email: '',
        github_id: '',
        wechat_id: '',
        access_token_hash: null,
        group: 'default',
        aff_code: name,
        inviter_id: 0,
        created_time: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await credit(ledger, tx, 'user', id, quota)
    return id
  })
}

/** A token; without `quota` it is unlimited. */
export async function addToken(
  { database, ledger }: LedgerWorld,
  userId: number,
  quota?: number,
): Promise<number> {
  const name = `token${++made}`
  return database.transaction(async (tx) => {
    const { id } = await tx
      .insertInto('tokens')
      .values({
        user_id: userId,
        key_hash: name,
        key_sealed: name,
        status: 1,
        name,
        created_time: 0,
        expired_time: -1,
        unlimited_quota: quota === undefined ? 1 : 0,
        models: '',
        subnet: '',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (quota !== undefined) await credit(ledger, tx, 'token', id, quota)
    return id
  })
}

export async function addChannel({ database }: LedgerWorld): Promise<number> {
  const { id } = await database.kysely
    .insertInto('channels')
    .values({
      type: 1,
      key_sealed: '',
      status: 1,
      name: 'channel',
      weight: 0,
      created_time: 0,
      base_url: '',
      other: '',
      models: '',
      group: 'default',
      used_quota: 0,
      model_mapping: '',
      priority: 0,
      config: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function credit(
  ledger: Ledger,
  tx: Parameters<Ledger['credit']>[0],
  kind: 'user' | 'token',
  ownerId: number,
  amount: number,
) {
  const source = `first:${kind}:${ownerId}`
  await ledger.credit(tx, { kind, ownerId, amount, reason: 'first', source, actorId: 0 })
}

export function request(userId: number, tokenId: number): RequestContext {
  return {
    requestId: `request${++made}`,
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
