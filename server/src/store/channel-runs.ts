import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** What is done over many channels, one run of each at a time. */
export type RunKind = 'tests' | 'balances'

/** `run` is of the process that does it; times are epoch seconds. */
type Claim = { kind: RunKind; run: string }

/** False while another is at it that was alive since `aliveSince`. */
export async function claimRun(
  db: Db,
  { kind, run }: Claim,
  { total, now, aliveSince }: { total: number; now: number; aliveSince: number },
): Promise<boolean> {
  const begun = { run, total, done: 0, failed: 0, started_at: now, ended_at: 0, beat_at: now }
  const claimed = await db
    .insertInto('channel_runs')
    .values({ kind, ...begun })
    .onConflict((conflict) =>
      conflict
        .column('kind')
        .doUpdateSet(begun)
        .where((eb) =>
          eb.or([eb('channel_runs.ended_at', '>', 0), eb('channel_runs.beat_at', '<', aliveSince)]),
        ),
    )
    .returning('run')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function findRun(db: Db, kind: RunKind) {
  return db
    .selectFrom('channel_runs')
    .select(['total', 'done', 'failed', 'started_at', 'ended_at', 'beat_at'])
    .where('kind', '=', kind)
    .executeTakeFirst()
}

/** Says how far it is and that it lives; false when it was taken for dead and another runs. */
export async function saveRun(
  db: Db,
  { kind, run }: Claim,
  state: { done: number; failed: number; ended_at: number; beat_at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('channel_runs')
    .set(state)
    .where('kind', '=', kind)
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
