import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { BillImportsTable } from './bill-schema.ts'
import { bulkInsert } from './bulk.ts'
import type { Database, Tx } from './database.ts'
import { executeAll } from './execute-all.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type StoredImport = Selectable<BillImportsTable>

export async function insertImport(tx: Tx, row: Insertable<BillImportsTable>): Promise<number> {
  const { id } = await tx
    .insertInto('bill_imports')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(id)
}

export const findImport = (db: Db, id: number): Promise<StoredImport | undefined> =>
  db.selectFrom('bill_imports').selectAll().where('id', '=', id).executeTakeFirst()

/** The latest first. */
export const listImports = (db: Db, sourceId: number, limit: number): Promise<StoredImport[]> =>
  db
    .selectFrom('bill_imports')
    .selectAll()
    .where('source_id', '=', sourceId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** False if the import is no longer running or has moved on since `reading`. */
export async function updateImport(
  db: Db,
  { id, reading }: Pick<StoredImport, 'id' | 'reading'>,
  change: Updateable<BillImportsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('bill_imports')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('reading', '=', reading)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends imports of the source that stopped making progress, and returns whether one still runs. */
export async function hasRunningImport(
  db: Db,
  { sourceId, now, silentSecondsMax }: { sourceId: number; now: number; silentSecondsMax: number },
): Promise<boolean> {
  const running = await db
    .selectFrom('bill_imports')
    .select(['id', 'beat_at'])
    .where('source_id', '=', sourceId)
    .where('state', '=', 'running')
    .execute()
  const silent = running.filter(({ beat_at }) => now - beat_at > silentSecondsMax)
  for (const { id } of silent) {
    await db
      .updateTable('bill_imports')
      .set({ state: 'failed', ended_at: now, error: INTERRUPTED.en, error_zh: INTERRUPTED.zh })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute()
    await clearStaged(db, id)
  }
  return silent.length < running.length
}

const INTERRUPTED = { en: 'the import was interrupted', zh: '导入中断' }

/** The intervals that successful imports cover. */
export const listCovered = (db: Db, sourceId: number) =>
  db
    .selectFrom('bill_imports')
    .select(['covers_from', 'covers_to'])
    .where('source_id', '=', sourceId)
    .where('state', '=', 'done')
    .execute()

export type StagedLine = Schema['bill_staged']

const COLUMNS = {
  import_id: 'bigint',
  row: 'bigint',
  line_id: 'text',
  hour: 'bigint',
  hours: 'bigint',
  model: 'text',
  key: 'text',
  item: 'text',
  requests: 'bigint',
  input: 'bigint',
  cached: 'bigint',
  written: 'bigint',
  output: 'bigint',
  amount: 'bigint',
} as const satisfies Record<keyof StagedLine, 'bigint' | 'text'>

/** Counts may be null, which `bulkInsert` allows where it does not know the columns. */
const stage = bulkInsert<Record<string, 'bigint' | 'text'>>('bill_staged', COLUMNS)

export const stageLines = (tx: Tx, kind: Database['kind'], lines: readonly StagedLine[]) =>
  executeAll(tx, stage(kind, lines))

export async function clearStaged(db: Db, importId: number) {
  await db.deleteFrom('bill_staged').where('import_id', '=', importId).execute()
}

/** Hours whose earlier lines are replaced; null replaces lines of the same identity alone. */
type Replaced = { from: number; to: number } | null

/**
 * Makes the staged lines of an import the source's lines. Lines without an id of their own may be
 * equal, so they are numbered; a repeated id is one line. Returns the number of new lines.
 */
export async function publishLines(
  tx: Tx,
  { importId, sourceId, replaced }: { importId: number; sourceId: number; replaced: Replaced },
): Promise<number> {
  const before = await countLines(tx, sourceId)
  const columns = sql.raw(
    'hour, hours, model, key, item, requests, input, cached, written, output, amount',
  )
  await sql`insert into bill_lines (source_id, line_id, import_id, ${columns})
    select ${sql.lit(sourceId)}, line_id || ' ' || place, ${sql.lit(importId)}, ${columns}
    from (
      select line_id, ${columns}, row_number() over (
        partition by line_id order by amount, input, output, "row"
      ) as place
      from bill_staged where import_id = ${sql.lit(importId)}
    ) as numbered
    where place = 1 or line_id like 'h%'
    on conflict (source_id, line_id) do update set import_id = excluded.import_id, ${assignments}`.execute(
    tx,
  )
  const after = await countLines(tx, sourceId)
  if (replaced !== null) {
    await tx
      .deleteFrom('bill_lines')
      .where('source_id', '=', sourceId)
      .where('hour', '>=', replaced.from)
      .where('hour', '<', replaced.to)
      .where('import_id', '<>', importId)
      .execute()
  }
  await clearStaged(tx, importId)
  return after - before
}

const assignments = sql.raw(
  ['hour', 'hours', 'model', 'key', 'item', 'requests', 'input', 'cached', 'written', 'output']
    .concat('amount')
    .map((name) => `${name} = excluded.${name}`)
    .join(', '),
)

async function countLines(db: Db, sourceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('bill_lines')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
