import { z } from 'zod'
import type { InBoth } from '@tollgate/contract'
import { type BilledUse, SECONDS_PER_HOUR } from '../../domain/bills/bill.ts'
import { createHourSums } from '../../domain/bills/hour-sums.ts'
import {
  dayOf,
  type Importer,
  type PullSpan,
  SECONDS_PER_DAY,
} from '../../domain/bills/importers/importer.ts'
import { IMPORTERS } from '../../domain/bills/importers/importers.ts'
import { clearStaged, publishLines, stageLines, updateImport } from '../../store/bill-imports.ts'
import type { BillDeps, BillSourceRow } from './bill-deps.ts'
import { fetchPage } from './fetch-page.ts'
import { LINES_MAX, stagedLine } from './staged-lines.ts'

const PAGES_MAX = 20_000
const PULL_MS_MAX = 15 * 60_000

export const hasApi = ({ kind }: BillSourceRow) => IMPORTERS[kind] !== null

/** Daily bills have whole days in UTC only. What is not over yet is not asked for. */
export function spanOf({ kind }: BillSourceRow, given: PullSpan, now: number): PullSpan {
  const isDaily = kind === 'openai_costs' || kind === 'anthropic_costs' || kind === 'openrouter'
  const unit = isDaily ? SECONDS_PER_DAY : SECONDS_PER_HOUR
  const down = (seconds: number) => Math.floor(seconds / unit) * unit
  return { from: down(given.from), to: Math.min(down(given.to + unit - 1), down(now)) }
}

/** The days before `now` that a scheduled import reads again, because vendors restate them. */
const SCHEDULED_DAYS = 7

export const scheduledSpan = (source: BillSourceRow, now: number): PullSpan =>
  spanOf(source, { from: dayOf(now) - SCHEDULED_DAYS * SECONDS_PER_DAY, to: now }, now)

/** Reads all pages of a span, then replaces the source's lines of it. Keeps them on any failure. */
export async function pullBill(
  deps: BillDeps,
  source: BillSourceRow,
  { importId, span, signal }: { importId: number; span: PullSpan; signal: AbortSignal },
): Promise<'done' | 'failed'> {
  const read = await readPages(deps, source, { importId, span, signal }).catch(reasonOf)
  const now = Math.floor(deps.now() / 1000)
  return deps.database.transaction(async (tx) => {
    const running = { id: importId, reading: '' }
    if ('problem' in read) {
      const { en: error, zh: error_zh } = read.problem
      await updateImport(tx, running, { state: 'failed', ended_at: now, error, error_zh })
      await clearStaged(tx, importId)
      return 'failed'
    }
    const covers = { covers_from: span.from, covers_to: span.to }
    const end = { state: 'done', ended_at: now, ...covers }
    if (!(await updateImport(tx, running, end))) return 'failed'
    const replaced = {
      from: Math.floor(span.from / SECONDS_PER_HOUR),
      to: Math.ceil(span.to / SECONDS_PER_HOUR),
    }
    const added = await publishLines(tx, { importId, sourceId: source.id, replaced })
    const counts = { added, repeated: read.staged - added }
    await tx.updateTable('bill_imports').set(counts).where('id', '=', importId).execute()
    return 'done'
  })
}

type Run = { importId: number; span: PullSpan; signal: AbortSignal }

/** Stages the lines of every page. Returns their number, or why it stopped early. */
async function readPages(
  deps: BillDeps,
  source: BillSourceRow,
  { importId, span, signal }: Run,
): Promise<{ staged: number } | { problem: InBoth }> {
  const importer = IMPORTERS[source.kind]
  if (importer === null) return { problem: NO_API }
  const until = deps.now() + PULL_MS_MAX
  const sums = source.kind === 'gateway' ? createHourSums() : null
  const progress = { importId, rows: 0, staged: 0 }
  let cursor: string | null = importer.first(span)
  for (let page = 0; cursor !== null; page += 1) {
    if (signal.aborted) return { problem: INTERRUPTED }
    const isTooLong = page >= PAGES_MAX || progress.staged > LINES_MAX || deps.now() > until
    if (isTooLong) return { problem: TOO_LONG }
    const goesOn = () => stage(deps, progress, [])
    const answer = await askPage(deps, source, { importer, span, cursor, goesOn, signal })
    if ('problem' in answer) return answer
    const foreign = answer.lines.find(
      ({ currency }) => currency !== '' && currency !== source.currency,
    )
    if (foreign !== undefined) return { problem: otherCurrency(foreign.currency) }
    const lines = answer.lines.filter(({ from }) => from >= span.from && from < span.to)
    progress.rows += lines.length
    sums?.add(lines)
    if (!(await stage(deps, progress, sums === null ? lines : []))) return { problem: INTERRUPTED }
    cursor = answer.next
  }
  const isOurs = await stage(deps, progress, sums?.list() ?? [])
  return isOurs ? { staged: progress.staged } : { problem: INTERRUPTED }
}

type Progress = { readonly importId: number; readonly rows: number; staged: number }

/** False if the import has been ended by another process. */
async function stage(
  { database, now }: BillDeps,
  progress: Progress,
  uses: readonly BilledUse[],
): Promise<boolean> {
  const { importId, rows, staged } = progress
  const lines = uses.map((use, index) => stagedLine(importId, staged + index, use))
  progress.staged += lines.length
  const beat = { rows, beat_at: Math.floor(now() / 1000) }
  return database.transaction(async (tx) => {
    await stageLines(tx, database.kind, lines)
    return updateImport(tx, { id: importId, reading: '' }, beat)
  })
}

type PageRun = Parameters<typeof fetchPage>[2] & {
  readonly importer: Importer
  readonly span: PullSpan
  readonly cursor: string
}

async function askPage(
  deps: BillDeps,
  source: BillSourceRow,
  { importer, span, cursor, ...run }: PageRun,
) {
  const { account, key_sealed, url } = source
  const key = key_sealed === '' ? '' : deps.secrets.openOption(key_sealed)
  const { path, headers } = importer.request({ key, account }, span, cursor)
  const base = (url === '' ? importer.base : url).replace(/\/+$/, '')
  const question = { method: 'GET', url: `${base}${path}`, headers } as const
  const { status, json } = await fetchPage(deps, question, run)
  if (status !== 200) {
    return { problem: { en: `the server answered HTTP ${status}`, zh: `对方返回 HTTP ${status}` } }
  }
  return importer.read(json, span, cursor) ?? { problem: OTHER_FORM }
}

const NO_API = { en: 'this kind of bill has no API', zh: '该类型的账单没有接口' }
const INTERRUPTED = { en: 'the import was interrupted', zh: '导入中断' }
const TOO_LONG = {
  en: 'the bill has too many lines; choose a shorter period',
  zh: '明细过多，请缩短时间范围',
}
const OTHER_FORM = {
  en: 'the answer is not in the form of this API',
  zh: '返回内容不符合该接口的格式',
}

const otherCurrency = (currency: string) => ({
  en: `the provider bills in ${currency}, which is not the currency of this source`,
  zh: `对方以 ${currency} 计费，与该来源的币种不符`,
})

/** What a `JsonClientError` tells the operator. */
const reasonSchema = z.object({ en: z.string(), zh: z.string() })

function reasonOf(error: unknown): { problem: InBoth } {
  if (error instanceof Error && 'reason' in error) {
    const reason = reasonSchema.safeParse(error.reason)
    if (reason.success) return { problem: reason.data }
  }
  throw error
}
