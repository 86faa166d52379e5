import type { Logger } from 'pino'
import { alertOfBill } from '../settings/bills/alert-difference.ts'
import { type BillDeps, type BillSourceRow, readSource } from '../settings/bills/bill-deps.ts'
import { hasApi, pullBill, scheduledSpan } from '../settings/bills/pull-bill.ts'
import { beginImport, lastError } from '../settings/bills/run-import.ts'
import { claimSource, listSources } from '../store/bill-sources.ts'
import type { ClaimDeps } from './claims.ts'
import { startPeriodic } from './periodic.ts'

export type ImportBillsDeps = BillDeps & ClaimDeps & { log: Logger }

const CHECK_INTERVAL_MS = 5 * 60_000
const SECONDS_PER_HOUR = 3600

/** Imports the bills whose time has come. */
export const startImportingBills = (
  deps: ImportBillsDeps,
  { lookMs = CHECK_INTERVAL_MS } = {},
): { stop: () => Promise<void> } =>
  startPeriodic({
    run: (signal) => importDueBills(deps, signal),
    pauseMs: lookMs,
    firstMs: lookMs,
    log: deps.log,
    failure: 'bills cannot be imported',
  })

/** One round, one bill after the other. */
export async function importDueBills(
  deps: BillDeps & ClaimDeps,
  signal: AbortSignal,
): Promise<void> {
  const now = Math.floor(deps.now() / 1000)
  for (const stored of await listSources(deps.database.kysely)) {
    if (signal.aborted) return
    const source = readSource(stored)
    if (!isDue(source, now) || !(await claimSource(deps.database.kysely, stored, now))) continue
    deps.claimed?.('bills')
    await importBill(deps, source, signal)
  }
}

const isDue = (source: BillSourceRow, now: number): boolean =>
  hasApi(source) &&
  source.every_hours > 0 &&
  now - source.asked_at >= source.every_hours * SECONDS_PER_HOUR

async function importBill(deps: BillDeps, source: BillSourceRow, signal: AbortSignal) {
  const now = Math.floor(deps.now() / 1000)
  const importId = await deps.database.transaction((tx) =>
    beginImport(deps, tx, source, { file: '', reading: '' }),
  )
  if (importId === null) return
  const state = await pullBill(deps, source, { importId, span: scheduledSpan(source, now), signal })
  if (signal.aborted) return
  const reason = await lastError(deps, source.id)
  await alertOfBill(deps, source, { hasFailed: state === 'failed', reason })
}
