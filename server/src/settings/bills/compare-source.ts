import {
  type BillComparison,
  type BillSummary,
  DIFFERENCE_KINDS,
  DIFFERENCES_MAX,
  type DifferenceKind,
} from '@tollgate/contract'
import { SECONDS_PER_HOUR } from '../../domain/bills/bill.ts'
import { type HourSpan, mergeOverlapping } from '../../domain/bills/buckets.ts'
import { compareBill, type Difference, type Sums } from '../../domain/bills/compare.ts'
import { listCovered } from '../../store/bill-imports.ts'
import { firstHourOfLines, listRecorded, sumBilled } from '../../store/bill-sums.ts'
import type { Database } from '../../store/database.ts'
import type { BillSourceRow } from './bill-deps.ts'

type Span = { from: number; to: number }

const hourOf = (seconds: number) => Math.floor(seconds / SECONDS_PER_HOUR)

/** Quota units are 1/500 000 dollar in gateways of the One API family, and charges whole units. */
const QUOTA_UNIT_NANO = 2000

/** Compares a source's lines with the recorded use of its channels. */
export async function compareSource(
  { kysely }: Pick<Database, 'kysely'>,
  source: BillSourceRow,
  span: Span,
): Promise<BillComparison> {
  const given = { start: hourOf(span.from), end: hourOf(span.to + SECONDS_PER_HOUR - 1) }
  // A daily line that began before the period is compared as a whole.
  const start = await firstHourOfLines(kysely, source.id, given.start)
  const billed = await sumBilled(kysely, source.id, { start, end: given.end })
  const end = billed.reduce((last, line) => Math.max(last, line.start + line.hours), given.end)
  const covered = coveredHours(await listCovered(kysely, source.id), { start, end })
  const [first, last] = [covered[0], covered.at(-1)]
  const hours = { start: first?.start ?? 0, end: last?.end ?? 0 }
  const recorded = await listRecorded(kysely, source.channels, hours)
  const { total, differences } = compareBill(billed, recorded, {
    rate: Number(source.rate),
    aliases: new Map(Object.entries(source.aliases)),
    keys: new Map(Object.entries(source.keys)),
    channels: source.channels,
    roundingPerRequest: source.kind === 'gateway' ? QUOTA_UNIT_NANO : 0,
    covered,
  })
  const summary = summaryOf(source.id, { total, differences, hours })
  return { summary, differences: firstOfEachKind(differences).map(presentDifference) }
}

function coveredHours(
  imports: readonly { covers_from: number; covers_to: number }[],
  { start, end }: HourSpan,
): HourSpan[] {
  const spans = imports
    .map(({ covers_from, covers_to }) => ({
      start: Math.max(start, hourOf(covers_from)),
      end: Math.min(end, hourOf(covers_to + SECONDS_PER_HOUR - 1)),
    }))
    .filter((span) => span.start < span.end)
  return mergeOverlapping(spans)
}

type Compared = { total: Sums; differences: readonly Difference[]; hours: HourSpan }

function summaryOf(source_id: number, { total, differences, hours }: Compared): BillSummary {
  const { billed, recorded } = total
  const difference = billed === null ? null : billed - recorded
  const percent = difference === null || recorded === 0 ? null : (difference / recorded) * 100
  const count = (kind: DifferenceKind) => differences.filter((found) => found.kind === kind).length
  return {
    source_id,
    ...total,
    difference,
    percent: percent === null ? null : Math.round(percent * 1000) / 1000,
    covers_from: hours.start * SECONDS_PER_HOUR,
    covers_to: hours.end * SECONDS_PER_HOUR,
    counts: {
      unrecorded: count('unrecorded'),
      unbilled: count('unbilled'),
      tokens: count('tokens'),
      price: count('price'),
      cost_unknown: count('cost_unknown'),
    },
  }
}

const firstOfEachKind = (differences: readonly Difference[]) =>
  DIFFERENCE_KINDS.flatMap((kind) =>
    differences.filter((found) => found.kind === kind).slice(0, DIFFERENCES_MAX),
  )

const presentDifference = ({ kind, start, end, model, channel, key, sums }: Difference) => ({
  kind,
  start: start * SECONDS_PER_HOUR,
  end: end * SECONDS_PER_HOUR,
  model,
  channel,
  key,
  ...sums,
})
