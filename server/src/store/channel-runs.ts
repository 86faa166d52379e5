import type { Expression, Kysely } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Work over many channels. At most one run of each kind is active. */
export type RunKind = 'tests' | 'balances'

/** `run` identifies the process that claims the run. */
type Claim = { kind: RunKind; run: string }

/** The clock that all processes share. */
type Now = Expression<Seconds>

/** False while another run is active whose last heartbeat is at most `silentSecondsMax` old. */
export async function claimRun(
  db: Db,
  { kind, run }: Claim,
  { total, now, silentSecondsMax }: { total: number; now: Now; silentSecondsMax: number },
): Promise<boolean> {
  const startedRun = { run, total, done: 0, failed: 0, started_at: now, ended_at: 0, beat_at: now }
  const claimed = await db
    .insertInto('channel_runs')
    .values({ kind, ...startedRun })
    .onConflict((conflict) =>
      conflict
        .column('kind')
        .doUpdateSet(startedRun)
        .where((eb) =>
          eb.or([
            eb('channel_runs.ended_at', '>', 0),
            eb(eb(now, '-', eb.ref('channel_runs.beat_at')), '>', silentSecondsMax),
          ]),
        ),
    )
    .returning('run')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function findRun(db: Db, kind: RunKind, now: Now) {
  return db
    .selectFrom('channel_runs')
    .select(['total', 'done', 'failed', 'started_at', 'ended_at', 'beat_at'])
    .select((eb) => eb(now, '-', eb.ref('beat_at')).as('silentSeconds'))
    .where('kind', '=', kind)
    .executeTakeFirst()
}

/** Saves progress and a heartbeat. False when the run was presumed dead and replaced. */
export async function saveRun(
  db: Db,
  { kind, run }: Claim,
  { now, isOver, ...counts }: { now: Now; isOver: boolean; done: number; failed: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('channel_runs')
    .set({ ...counts, beat_at: now, ...(isOver && { ended_at: now }) })
    .where('kind', '=', kind)
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
