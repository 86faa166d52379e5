import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Tx } from '../../store/database.ts'
import { type ImportRow, listImportRows, writeImportRows } from '../../store/imports.ts'
import { isInList } from '../../store/in-list.ts'
import type { ImportContext } from './context.ts'

export type Known = Pick<ImportRow, 'new_id' | 'digest' | 'quota' | 'used' | 'requests'>

/** The rows of a kind that were imported, by their ids in the source. */
export class KnownRows {
  readonly #rows: Map<string, Known>
  readonly #source: string
  readonly #kind: string

  private constructor(source: string, kind: string, rows: Map<string, Known>) {
    this.#source = source
    this.#kind = kind
    this.#rows = rows
  }

  static async read({ database, name }: ImportContext, kind: string): Promise<KnownRows> {
    const rows = await listImportRows(database.kysely, name, kind)
    return new KnownRows(name, kind, new Map(rows.map((row) => [row.old_id, row])))
  }

  get = (oldId: string): Known | undefined => this.#rows.get(oldId)

  idOf = (oldId: string): number | undefined => this.#rows.get(oldId)?.new_id

  entries = () => this.#rows.entries()

  /** Writes rows in the transaction. They are known once it has committed, by `note`. */
  write(tx: Tx, kind: Database['kind'], rows: ReadonlyMap<string, Known>): Promise<void> {
    const [source, kindOfRow] = [this.#source, this.#kind]
    const stored = [...rows].map(([old_id, row]) => ({ ...row, source, kind: kindOfRow, old_id }))
    return writeImportRows(tx, kind, stored)
  }

  note(rows: ReadonlyMap<string, Known>) {
    for (const [oldId, row] of rows) this.#rows.set(oldId, row)
  }
}

export const digestOf = (...parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)

type Numbered = 'users' | 'tokens' | 'channels'

const ID_MAX = 1_000_000_000_000

/**
 * Ids for new rows: that of the source if it is free, because keys such as `sk-…-7` name a channel,
 * else the next free one.
 */
export async function chooseIds(
  { kysely, kind }: Pick<Database, 'kysely' | 'kind'>,
  table: Numbered,
  oldIds: readonly string[],
): Promise<number[]> {
  const wanted = oldIds.map((id) => (/^[1-9]\d*$/.test(id) ? Number(id) : ID_MAX))
  const values = wanted.filter((id) => id < ID_MAX)
  const rows = await kysely
    .selectFrom(table)
    .select('id')
    .where(isInList(kind, 'id', { type: 'bigint', values }))
    .execute()
  const { last } = await kysely
    .selectFrom(table)
    .select((eb) => eb.fn.coalesce(eb.fn.max('id'), eb.lit(0)).as('last'))
    .executeTakeFirstOrThrow()
  const taken = new Set(rows.map(({ id }) => id))
  let next = Math.max(last, ...values)
  return wanted.map((id) => {
    const chosen = id < ID_MAX && !taken.has(id) ? id : (next += 1)
    taken.add(chosen)
    return chosen
  })
}

/** Lets PostgreSQL number later rows after those that were inserted with their ids. */
export async function continueIds(tx: Tx, kind: Database['kind'], table: Numbered) {
  if (kind === 'sqlite') return
  await sql`select setval(pg_get_serial_sequence(${table}, 'id'), greatest(1, max(id)))
    from ${sql.table(table)}`.execute(tx)
}
