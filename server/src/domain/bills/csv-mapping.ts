import {
  BILL_COLUMNS,
  type BillColumn,
  type BillMapping,
  type LineProblem,
} from '@tollgate/contract'
import { type BilledTokens, type BilledUse, SECONDS_PER_HOUR } from './bill.ts'
import { countOf, nanoOf } from './decimal.ts'
import { nextMidnight, parseMoment } from './zoned-time.ts'

export type BillRules = {
  readonly mapping: BillMapping
  readonly zone: string
  readonly currency: string
}

/** The index of each mapped column. */
export type ColumnIndexes = ReadonlyMap<BillColumn, number>

/** Words by which the headers of known exports are recognized, the most telling first. */
const HEADERS: Readonly<Record<BillColumn, RegExp>> = {
  time: /^(?:usage_?)?(?:start|date|time|timestamp|day|created|bucket|时间|日期)/,
  end: /^(?:usage_?)?end|结束/,
  model: /model|模型|sku/,
  key: /(?:api_?)?key|token_?name|令牌|密钥/,
  item: /item|token_?type|description|usage_?type|类型/,
  id: /^(?:request|line|generation)?_?id$/,
  requests: /requests?|calls|请求/,
  input: /^(?!.*(?:uncached|cach|amount|cost)).*(?:input|prompt|输入)/,
  uncached: /uncached|no_?cache/,
  cached: /cache_?(?:read|hit)|cached(?!.*writ)|命中/,
  written: /cache_?(?:writ|creat)/,
  output: /output|completion|generated|输出/,
  amount: /amount|cost|usd|charge|price|费用|金额/,
  currency: /currency|币种/,
}

const folded = (header: string) =>
  header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** Guesses the columns by their headers. Each header is used once. */
export function suggestMapping(headers: readonly string[], rest: BillMapping): BillMapping {
  const free = new Set(headers)
  const guessed = { ...rest }
  for (const column of BILL_COLUMNS) {
    const found = headers.find((header) => free.has(header) && HEADERS[column].test(folded(header)))
    guessed[column] = found ?? ''
    if (found !== undefined) free.delete(found)
  }
  return guessed
}

/** Finds the mapped columns, or names the ones that the file does not have. */
export function indexColumns(
  headers: readonly string[],
  mapping: BillMapping,
): { indexes: ColumnIndexes; problems: LineProblem[] } {
  const mapped = BILL_COLUMNS.filter((column) => mapping[column] !== '')
  const indexes = new Map(mapped.map((column) => [column, headers.indexOf(mapping[column])]))
  const problems = mapped
    .filter((column) => indexes.get(column) === -1)
    .map((column) => ({ line: 1, column: mapping[column], problem: 'no_column' as const }))
  if (mapping.time === '') problems.push({ line: 1, column: 'time', problem: 'no_column' })
  return { indexes, problems }
}

type Read = { use: BilledUse } | { problems: LineProblem[] }

/** Reads one record. Every problem of the record is reported, not only the first. */
export function readRow(
  { line, fields }: { line: number; fields: readonly string[] },
  indexes: ColumnIndexes,
  { mapping, zone, currency }: BillRules,
): Read {
  const problems: LineProblem[] = []
  const text = (column: BillColumn) => fields[indexes.get(column) ?? -1] ?? ''
  const report = (column: BillColumn, problem: LineProblem['problem']) => {
    problems.push({ line, column: mapping[column], problem })
    return null
  }
  const count = (column: BillColumn) => {
    const given = text(column)
    if (given === '') return null
    const number = countOf(plainNumber(given, mapping.decimal).replace(/\.0+$/, ''))
    return number ?? report(column, 'not_a_count')
  }
  const amount = () => {
    const given = text('amount')
    if (given === '') return null
    const plain = plainNumber(
      given.replace(/^(-?)\$ ?/, currency === 'USD' ? '$1' : '$&'),
      mapping.decimal,
    )
    return nanoOf(plain) ?? report('amount', 'not_a_number')
  }
  const [from, to] = readSpan({ text, report, mapping, zone })
  const use: BilledUse = {
    id: text('id'),
    from,
    to,
    model: text('model'),
    key: text('key'),
    item: text('item'),
    requests: count('requests'),
    ...totalTokens({ ...counted(count), uncached: count('uncached') }),
    amount: amount(),
    currency: text('currency').toUpperCase(),
  }
  if (use.currency !== '' && use.currency !== currency) report('currency', 'other_currency')
  if (problems.length > 0) return { problems }
  const isEmpty = use.amount === null && use.input === null && use.output === null
  return isEmpty ? { problems: [{ line, column: '', problem: 'empty' }] } : { use }
}

const counted = (count: (column: BillColumn) => number | null): BilledTokens => ({
  input: count('input'),
  cached: count('cached'),
  written: count('written'),
  output: count('output'),
})

/** Bills give all input tokens, or those that were neither cached nor written. */
function totalTokens({ uncached, ...tokens }: BilledTokens & { uncached: number | null }) {
  if (tokens.input !== null || uncached === null) return tokens
  return { ...tokens, input: uncached + (tokens.cached ?? 0) + (tokens.written ?? 0) }
}

function plainNumber(text: string, decimal: BillMapping['decimal']): string {
  const groups = decimal === '.' ? /(?<=\d),(?=\d{3}(?:\D|$))/g : /(?<=\d)[.\s](?=\d{3}(?:\D|$))/g
  const whole = text.replaceAll(groups, '')
  return decimal === ',' ? whole.replace(',', '.') : whole
}

type SpanDeps = {
  text: (column: BillColumn) => string
  report: (column: BillColumn, problem: LineProblem['problem']) => null
  mapping: BillMapping
  zone: string
}

function readSpan({ text, report, mapping, zone }: SpanDeps): [number, number] {
  const start = parseMoment(text('time'), zone)
  if (start.type === 'problem') {
    report('time', start.problem)
    return [0, 0]
  }
  const from = start.seconds
  if (text('end') === '') {
    const span = start.isDay ? 'day' : mapping.span
    if (span === 'moment') return [from, from]
    return [from, span === 'hour' ? from + SECONDS_PER_HOUR : nextMidnight(from, zone)]
  }
  const end = parseMoment(text('end'), zone)
  if (end.type === 'problem') {
    report('end', end.problem)
    return [0, 0]
  }
  // The last day of an interval belongs to it.
  const to = end.isDay && end.seconds === from ? nextMidnight(from, zone) : end.seconds
  if (to < from) report('end', 'time_order')
  return [from, to]
}
