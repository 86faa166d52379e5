import type { z } from 'zod'
import { BILL_KINDS, type BillKind, billMappingSchema } from '@tollgate/contract'
import type { Secrets } from '../../secrets.ts'
import type { StoredSource } from '../../store/bill-sources.ts'
import type { Database } from '../../store/database.ts'

/** Fetches JSON from an address outside; throws an error with a message for the operator. */
type FetchJson = (question: {
  method: 'GET'
  url: string
  headers: Record<string, string>
}) => Promise<{ status: number; json: unknown; retryAfter?: string | undefined }>

export type BillDeps = {
  readonly database: Database
  readonly secrets: Pick<Secrets, 'openOption'>
  readonly fetchJson: FetchJson
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Resolves after the time, or at once when the signal aborts. Absent for real time. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A stored source with its tables read. */
export type BillSourceRow = Omit<StoredSource, 'kind' | 'channels' | 'aliases' | 'keys'> & {
  readonly kind: BillKind
  readonly channels: readonly number[]
  readonly aliases: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, string>>
}

export function readSource(stored: StoredSource): BillSourceRow {
  return {
    ...stored,
    kind: BILL_KINDS.find((known) => known === stored.kind) ?? 'csv',
    // Safe because the admin API writes these columns from values of these types.
    channels: JSON.parse(stored.channels) as number[],
    aliases: JSON.parse(stored.aliases) as Record<string, string>,
    keys: JSON.parse(stored.keys) as Record<string, string>,
  }
}

/** The mapping of the source's last file; null before the first. */
export const readMapping = (stored: string): z.output<typeof billMappingSchema> | null =>
  stored === '' ? null : billMappingSchema.parse(JSON.parse(stored))
