import type { Generated } from 'kysely'

/** A gateway that was imported. */
export type ImportSourcesTable = {
  name: string
  product: string
  /** The last log row that was imported, as the source orders its log. */
  log_cursor: Generated<string>
  /** Number of transactions with imported balances; names their credits. */
  batches: Generated<number>
  created_at: number
}

/** A row of a source, and the row of this installation that it became. */
export type ImportRowsTable = {
  source: string
  kind: string
  old_id: string
  new_id: number
  /** Digest of the imported columns; a different digest means that the source has changed. */
  digest: string
  /** The balance in the source when it was last imported. */
  quota: number
  /** What is imported of the use that the source has counted. */
  used: number
  requests: number
}

export type ImportTables = {
  import_sources: ImportSourcesTable
  import_rows: ImportRowsTable
}
