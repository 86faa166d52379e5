import { findPrice, groupRatioOf } from '../../domain/find-price.ts'
import { costOf } from '../../domain/price.ts'
import type { ImportContext } from './context.ts'
import type { Source, SourceLog } from './sources/source.ts'

type Period = { readonly since: number; readonly until: number }

type Sum = {
  model: string
  group: string
  rows: number
  differing: number
  there: number
  here: number
  example: string
}

/** Both gateways round a charge to a whole unit, in their own ways. */
const ROUNDING_MAX = 1
const LINES_MAX = 50

/**
 * Charges each request of the other gateway's log at the prices of this installation, and lists
 * models whose charges differ.
 */
export async function compareLogs(
  { settings }: Pick<ImportContext, 'settings'>,
  source: Source,
  period: Period,
): Promise<string[]> {
  const groups = new Map<string, string>()
  for await (const users of source.users()) {
    for (const { id, group } of users) groups.set(id, group.split(',')[0] ?? '')
  }
  const options = settings.current()
  const sums = new Map<string, Sum>()
  for await (const { rows } of source.logs('')) {
    for (const row of rows.filter((each) => isCharge(each, period))) {
      const group = row.group || (groups.get(row.userId) ?? '')
      addTo(sums, { row, group, here: chargeHere(row, { group, options }) })
    }
  }
  return linesOf([...sums.values()])
}

const isCharge = ({ type, at }: SourceLog, { since, until }: Period) =>
  type === 'consume' && at >= since && at < until

type Options = ReturnType<ImportContext['settings']['current']>

/** Null for a model without a price. */
function chargeHere(row: SourceLog, { group, options }: { group: string; options: Options }) {
  const price = findPrice({
    requested: row.model,
    mapped: row.upstreamModel || row.model,
    options,
  })
  if (price === null) return null
  const usage = {
    promptTokens: row.promptTokens,
    cachedTokens: Math.min(row.cachedTokens, row.promptTokens),
    cacheWriteTokens: 0,
    completionTokens: row.completionTokens,
    reasoningTokens: 0,
  }
  return costOf(usage, price, groupRatioOf(group, options))
}

type Compared = { row: SourceLog; group: string; here: number | null }

function addTo(sums: Map<string, Sum>, { row, group, here }: Compared) {
  const id = JSON.stringify([row.model, group])
  const empty = { model: row.model, group, rows: 0, differing: 0, there: 0, here: 0, example: '' }
  const sum = sums.get(id) ?? empty
  sums.set(id, sum)
  sum.rows += 1
  sum.there += row.quota
  sum.here += here ?? 0
  if (here !== null && Math.abs(here - row.quota) <= ROUNDING_MAX) return
  sum.differing += 1
  const tokens = `${row.promptTokens} + ${row.completionTokens} tokens`
  sum.example ||= `${tokens}: ${row.quota} there, ${here ?? 'no price'} here`
}

function linesOf(sums: readonly Sum[]): string[] {
  const total = (field: 'rows' | 'differing' | 'there' | 'here') =>
    sums.reduce((sum, row) => sum + row[field], 0)
  const differing = sums
    .filter((sum) => sum.differing > 0)
    .toSorted((a, b) => Math.abs(b.here - b.there) - Math.abs(a.here - a.there))
  const rest = differing.length > LINES_MAX ? [`… and ${differing.length - LINES_MAX} more`] : []
  return [
    `compare: ${total('rows')} requests, ${total('differing')} with another charge; ` +
      `${total('there')} there, ${total('here')} here`,
    ...differing.slice(0, LINES_MAX).map(lineOf),
    ...rest,
  ]
}

const lineOf = ({ model, group, rows, differing, there, here, example }: Sum) =>
  `${model} (${group}): ${differing} of ${rows} requests, ${there} there, ${here} here; ${example}`
