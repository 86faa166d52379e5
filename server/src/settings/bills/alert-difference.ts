import { z } from 'zod'
import { type BillSummary, type InBoth, moneyText } from '@tollgate/contract'
import { dayOf, SECONDS_PER_DAY } from '../../domain/bills/importers/importer.ts'
import { updateSource } from '../../store/bill-sources.ts'
import { enqueue } from '../../store/outbox.ts'
import type { BillDeps, BillSourceRow } from './bill-deps.ts'
import { compareSource } from './compare-source.ts'
import { scheduledSpan } from './pull-bill.ts'

/** What the operator was last alerted about, so that each gap alerts once. */
const alertedSchema = z.object({ percent: z.number(), failed: z.boolean() })

const QUIET = { percent: 0, failed: false }

const readAlerted = (stored: string) =>
  stored === '' ? QUIET : alertedSchema.parse(JSON.parse(stored))

/** After a scheduled import: alerts if it failed, or if bill and records differ too much. */
export async function alertOfBill(
  deps: BillDeps,
  source: BillSourceRow,
  { hasFailed, reason }: { hasFailed: boolean; reason: InBoth },
): Promise<void> {
  const now = Math.floor(deps.now() / 1000)
  const alerted = readAlerted(source.alerted)
  if (hasFailed) {
    if (alerted.failed) return
    return send(
      deps,
      source,
      { ...alerted, failed: true },
      {
        event: 'bill_failed',
        detail: { en: `Reason: ${reason.en}.`, zh: `原因：${reason.zh}。` },
      },
    )
  }
  const { from, to } = scheduledSpan(source, now)
  // Vendors restate the last day.
  const settled = { from, to: Math.min(to, dayOf(now) - SECONDS_PER_DAY) }
  const { summary } = await compareSource(deps.database, source, settled)
  const percent = summary.percent ?? 0
  const size = Math.abs(percent)
  if (size <= source.alert_percent) return save(deps, source, QUIET)
  const isKnown =
    Math.abs(alerted.percent) > 0 && size - Math.abs(alerted.percent) <= source.alert_percent
  if (isKnown) return save(deps, source, { ...alerted, failed: false })
  const detail = detailOf(summary, percent)
  return send(deps, source, { percent, failed: false }, { event: 'bill_differs', detail })
}

type Alerted = z.output<typeof alertedSchema>

const save = (deps: BillDeps, source: BillSourceRow, alerted: Alerted) =>
  updateSource(deps.database.kysely, source.id, { alerted: JSON.stringify(alerted) })

async function send(
  deps: BillDeps,
  source: BillSourceRow,
  alerted: Alerted,
  { event, detail }: { event: 'bill_failed' | 'bill_differs'; detail: InBoth },
) {
  const now = Math.floor(deps.now() / 1000)
  await deps.database.transaction(async (tx) => {
    await updateSource(tx, source.id, { alerted: JSON.stringify(alerted) })
    const { en, zh } = detail
    const texts = { detail: en, detail_zh: zh }
    await enqueue(tx, { type: 'price-alert', event, name: source.name, ...texts }, now)
  })
}

const NANO = 1e9

function detailOf(
  { billed, recorded, covers_from, covers_to }: BillSummary,
  percent: number,
): InBoth {
  const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
  const dollars = (nano: number) => `$${moneyText(nano / NANO)}`
  const [first, last] = [day(covers_from), day(covers_to - 1)]
  const [bill, records] = [dollars(billed ?? 0), dollars(recorded)]
  const share = `${percent > 0 ? '+' : ''}${percent} %`
  return {
    en: `${first} to ${last}: ${bill} billed, ${records} recorded (${share}).`,
    zh: `${first} 至 ${last}：账单 ${bill}，记录 ${records}（${share}）。`,
  }
}
