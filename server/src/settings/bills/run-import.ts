import type { InBoth } from '@tollgate/contract'
import { hasRunningImport, insertImport, listImports } from '../../store/bill-imports.ts'
import type { Tx } from '../../store/database.ts'
import type { BillDeps, BillSourceRow } from './bill-deps.ts'

/** An import without progress for this long has been interrupted. */
const SILENT_SECONDS_MAX = 120

/** Imports whose state is kept. Older successful ones stay, because they say what is covered. */
export const IMPORTS_SHOWN = 5

/** Begins an import, unless one of the source is running. Null in that case. */
export async function beginImport(
  { now }: Pick<BillDeps, 'now'>,
  tx: Tx,
  source: Pick<BillSourceRow, 'id'>,
  { file, reading }: { file: string; reading: string },
): Promise<number | null> {
  const seconds = Math.floor(now() / 1000)
  const running = { sourceId: source.id, now: seconds, silentSecondsMax: SILENT_SECONDS_MAX }
  if (await hasRunningImport(tx, running)) return null
  return insertImport(tx, {
    source_id: source.id,
    file,
    reading,
    state: 'running',
    started_at: seconds,
    beat_at: seconds,
  })
}

/** Why the latest import failed; empty if it did not. */
export async function lastError(
  { database }: Pick<BillDeps, 'database'>,
  sourceId: number,
): Promise<InBoth> {
  const [last] = await listImports(database.kysely, sourceId, 1)
  return { en: last?.error ?? '', zh: last?.error_zh ?? '' }
}
