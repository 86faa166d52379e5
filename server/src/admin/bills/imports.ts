import { AppError, type BillMapping } from '@tollgate/contract'
import { suggestMapping } from '../../domain/bills/csv-mapping.ts'
import { type BillSourceRow, readMapping, readSource } from '../../settings/bills/bill-deps.ts'
import {
  addPart,
  firstReading,
  previewFile,
  readReading,
} from '../../settings/bills/import-file.ts'
import { hasApi, pullBill, spanOf } from '../../settings/bills/pull-bill.ts'
import { beginImport } from '../../settings/bills/run-import.ts'
import { findImport, type StoredImport } from '../../store/bill-imports.ts'
import { updateSource } from '../../store/bill-sources.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { requireSource } from './change-sources.ts'

/** Imports that run in this process. */
export type ImportRuns = {
  run: (work: (signal: AbortSignal) => Promise<unknown>) => void
  /** Aborts the imports and waits for their ends. */
  close: () => Promise<void>
}

export function createImportRuns({ log }: Pick<AdminDeps, 'log'>): ImportRuns {
  const closing = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  return {
    run: (work) => {
      const one = work(closing.signal).catch((error: unknown) => {
        log.error({ error }, 'a bill could not be imported')
      })
      running = Promise.all([running, one])
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

export async function preview(
  deps: AdminDeps,
  { id, text, mapping }: { id: number; text: string; mapping?: BillMapping | undefined },
) {
  const source = readSource(await requireSource(deps.database.kysely, id))
  return previewFile(source, text, (headers) => mapping ?? suggestedMapping(source, headers))
}

/** The source's last mapping if the file has its columns; otherwise a guess. */
function suggestedMapping({ mapping }: BillSourceRow, headers: readonly string[]): BillMapping {
  const last = readMapping(mapping)
  if (last !== null && headers.includes(last.time)) return last
  return suggestMapping(headers, last ?? EMPTY)
}

const EMPTY: BillMapping = {
  time: '',
  end: '',
  model: '',
  key: '',
  item: '',
  id: '',
  requests: '',
  input: '',
  uncached: '',
  cached: '',
  written: '',
  output: '',
  amount: '',
  currency: '',
  span: 'moment',
  decimal: '.',
}

export async function beginFile(
  deps: AdminDeps,
  context: CallerContext,
  { id, file, mapping }: { id: number; file: string; mapping: BillMapping },
): Promise<StoredImport> {
  const importId = await deps.database.transaction(async (tx) => {
    await reauthorize(tx, deps, context)
    const source = readSource(await requireSource(tx, id))
    const begun = await beginImport(deps, tx, source, { file, reading: firstReading(mapping) })
    if (begun === null) throw new AppError('bill_import_active')
    await updateSource(tx, id, { mapping: JSON.stringify(mapping) })
    return begun
  })
  return requireImport(deps, importId)
}

/** A repeated part changes nothing, so that the console may send it again. */
export async function addFilePart(
  deps: AdminDeps,
  { id, part, text, last }: { id: number; part: number; text: string; last: boolean },
): Promise<StoredImport> {
  const stored = await requireImport(deps, id)
  if (stored.state !== 'running' || stored.reading === '') {
    if (last && stored.state !== 'running') return stored
    throw new AppError('bill_import_ended')
  }
  const expected = readReading(stored.reading).part
  if (part < expected) return stored
  if (part > expected) throw new AppError('bill_part_expected', { part: expected })
  const source = readSource(await requireSource(deps.database.kysely, stored.source_id))
  await addPart(deps, source, stored, { text, last })
  return requireImport(deps, id)
}

export async function pullNow(
  deps: AdminDeps,
  context: CallerContext,
  runs: ImportRuns,
  given: { id: number; start_timestamp: number; end_timestamp: number },
): Promise<StoredImport> {
  const source = readSource(await requireSource(deps.database.kysely, given.id))
  if (!hasApi(source)) throw new AppError('bill_has_no_api')
  const period = { from: given.start_timestamp, to: given.end_timestamp }
  const span = spanOf(source, period, nowSeconds(deps))
  if (span.from >= span.to) throw new AppError('bill_period_not_over')
  const importId = await deps.database.transaction(async (tx) => {
    await reauthorize(tx, deps, context)
    return beginImport(deps, tx, source, { file: '', reading: '' })
  })
  if (importId === null) throw new AppError('bill_import_active')
  runs.run((signal) => pullBill(deps, source, { importId, span, signal }))
  return requireImport(deps, importId)
}

async function requireImport({ database }: AdminDeps, id: number): Promise<StoredImport> {
  const found = await findImport(database.kysely, id)
  if (found === undefined) throw new AppError('bill_import_not_found')
  return found
}
