import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../src/store/schema.ts'

/**
 * A line about a table. Statements rely on `column` and `unique` (ON CONFLICT names its columns);
 * the others refuse rows. `columns` are those that a check reads.
 */
type Fact = {
  table: string
  kind: 'column' | 'unique' | 'required' | 'check'
  text: string
  columns: string[]
}

/** Reads PostgreSQL's catalog. Partitions follow their table and are left out. */
export async function readCatalogFacts(kysely: Kysely<Schema>): Promise<Fact[]> {
  const { rows } = await sql<Fact>`
    with tables as (
      select oid, relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition
        and relnamespace = current_schema::regnamespace and relname not like 'kysely%'
    ), columns as (
      select name, attname, format_type(atttypid, atttypmod) as type, array[attname::text] as self,
        attnotnull and not atthasdef and attidentity = '' as is_required
      from tables join pg_attribute on attrelid = tables.oid
      where attnum > 0 and not attisdropped
    )
    select name as table, 'column' as kind, name || '.' || attname || ' ' || type as text,
      self as columns from columns
    union all select name, 'required', name || '.' || attname || ' required', self
      from columns where is_required
    union all select name, 'unique', regexp_replace(
        regexp_replace(pg_get_indexdef(indexrelid), '^CREATE UNIQUE INDEX \\S+ ON ', 'unique '),
        ' INCLUDE .*$', ''), '{}'
      from tables join pg_index on indrelid = tables.oid where indisunique
    union all select name, 'check', name || ': ' || pg_get_constraintdef(c.oid), array(
        select attname::text from pg_attribute where attrelid = tables.oid and attnum = any (conkey))
      from tables join pg_constraint c on conrelid = tables.oid where contype in ('c', 'f')
    union all select name, 'check', name || ': ' || tgname, '{}'
      from tables join pg_trigger on tgrelid = tables.oid where not tgisinternal
  `.execute(kysely)
  return rows
}

/** What code that knows the tables of `before` can no longer do; empty if `after` only adds. */
export function breaksOf(before: readonly Fact[], after: readonly Fact[]): string[] {
  const had = new Set(before.map(({ text }) => text))
  const has = new Set(after.map(({ text }) => text))
  const tables = new Set(before.map(({ table }) => table))
  const oldColumns = new Set(before.map(({ table, columns }) => `${table}.${columns.join()}`))
  const isOfNewColumns = ({ kind, table, columns }: Fact) =>
    kind === 'check' && !columns.some((column) => oldColumns.has(`${table}.${column}`))
  const removed = before.filter(({ kind, text }) => kind in RELIED_ON && !has.has(text))
  const added = after.filter(
    (fact) =>
      fact.kind !== 'column' &&
      tables.has(fact.table) &&
      !had.has(fact.text) &&
      !isOfNewColumns(fact),
  )
  return [...removed.map(({ text }) => `- ${text}`), ...added.map(({ text }) => `+ ${text}`)]
}

const RELIED_ON = { column: true, unique: true }
