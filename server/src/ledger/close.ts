import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Database, Tx } from '../store/database.ts'
import { endHold } from './end.ts'
import type { LedgerDeps, RequestContext } from './ledger.ts'
import { createRecord, unanswered } from './record.ts'

type RunLabel = { label: string; now: () => number }

type Closing = {
  runs: readonly string[]
  now: () => number
  /** Absent keeps every row. */
  keepsLog?: LedgerDeps['keepsLog'] | undefined
}

/** Each start of a process is a run of its own, under a name that no other run will ever have. */
export async function registerRun(database: Database, { label, now }: RunLabel): Promise<string> {
  const run = randomUUID()
  await database.kysely
    .insertInto('ledger_nodes')
    .values({ run, label, started_at: Math.floor(now() / 1000) })
    .execute()
  return run
}

/**
 * Gives back what runs that are over still hold: each request once, with its row in the log. May be
 * repeated; runs that this database does not know are passed over.
 */
export async function closeRuns(database: Database, closing: Closing): Promise<void> {
  if (closing.runs.length === 0) return
  const deps = {
    database,
    keepsLog: closing.keepsLog ?? (() => ({ settled: true, void: true })),
    remindBelow: () => 0,
  }
  const at = Math.floor(closing.now() / 1000)
  await database.transaction(async (tx) => {
    await markClosed(tx, closing.runs, at)
    const holds = await tx
      .selectFrom('holds')
      .select(['request_id', 'user_id', 'token_id', 'context', 'opened_at'])
      .where('run', 'in', closing.runs)
      .orderBy('user_id')
      .orderBy('token_id')
      .execute()
    for (const hold of holds) {
      const end = unanswered('interrupted')
      const ending = { outcome: 'void', cost: 0, basis: null, ...end } as const
      await endHold(tx, deps, createRecord(readContext(hold), ending, at))
    }
  })
}

/** Waits for holds that are being taken under these runs; after it there are no new ones. */
async function markClosed(tx: Tx, runs: readonly string[], at: number) {
  await tx
    .updateTable('ledger_nodes')
    .set((eb) => ({ closed_at: eb.fn.coalesce('closed_at', eb.val(at)) }))
    .where('run', 'in', runs)
    .execute()
}

type StoredHold = {
  request_id: string
  user_id: number
  token_id: number
  opened_at: number
  context: string
}

const namesSchema = z.object({
  username: z.string().catch(''),
  tokenName: z.string().catch(''),
  model: z.string().catch(''),
  isStream: z.boolean().catch(false),
})

/** Ids and time come from the row itself; names that cannot be read must not keep money held. */
function readContext(hold: StoredHold): RequestContext {
  return {
    ...namesSchema.parse(parseJson(hold.context)),
    requestId: hold.request_id,
    userId: hold.user_id,
    tokenId: hold.token_id,
    openedAt: hold.opened_at,
  }
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value ?? {}
  } catch {
    return {}
  }
}
