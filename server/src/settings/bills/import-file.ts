import {
  BILL_PROBLEMS_MAX,
  type BillMapping,
  billMappingSchema,
  type LineProblem,
} from '@tollgate/contract'
import { indexColumns, readRow } from '../../domain/bills/csv-mapping.ts'
import {
  type CsvRecord,
  type Delimiter,
  delimiterOf,
  hasOpenQuote,
  readRecords,
  splitAtLastRecord,
} from '../../domain/bills/csv.ts'
import {
  clearStaged,
  publishLines,
  type StagedLine,
  stageLines,
  type StoredImport,
  updateImport,
} from '../../store/bill-imports.ts'
import type { BillDeps, BillSourceRow } from './bill-deps.ts'
import { LINES_MAX, stagedLine } from './staged-lines.ts'

/** Where the reading of a file's parts continues. */
type Reading = {
  part: number
  /** Text after the last complete record. */
  rest: string
  /** Null before the first line. */
  headers: readonly string[] | null
  delimiter: Delimiter
  /** Line breaks before `rest`. */
  lines: number
  mapping: BillMapping
}

export const firstReading = (mapping: BillMapping): string =>
  JSON.stringify({
    part: 0,
    rest: '',
    headers: null,
    delimiter: ',',
    lines: 0,
    mapping,
  } satisfies Reading)

export function readReading(stored: string): Reading {
  const reading = JSON.parse(stored) as Reading // safe because this file wrote it
  return { ...reading, mapping: billMappingSchema.parse(reading.mapping) }
}

/** A longer record has a quote that is never closed. */
const RECORD_CHARACTERS_MAX = 100_000

const BYTE_ORDER_MARK = /^\uFEFF/

type Parsed = {
  reading: Reading
  lines: StagedLine[]
  problems: LineProblem[]
  covers: { from: number; to: number }
}

/**
 * Reads the next part of a file. The last part publishes all lines, or none if any line has a
 * problem. False if another call has read the part meanwhile.
 */
export async function addPart(
  deps: BillDeps,
  source: BillSourceRow,
  stored: StoredImport,
  { text, last }: { text: string; last: boolean },
): Promise<boolean> {
  const now = Math.floor(deps.now() / 1000)
  const parsed = parsePart(source, stored, { text, last })
  const rows = stored.rows + parsed.lines.length
  const earlier = JSON.parse(stored.problems) as LineProblem[] // safe because this file wrote it
  const found = [...earlier, ...parsed.problems]
  if (rows > LINES_MAX) found.push({ line: LINES_MAX, column: '', problem: 'too_large' })
  if (last && rows === 0 && found.length === 0) {
    found.push({ line: 0, column: '', problem: 'empty' })
  }
  const problems = found.slice(0, BILL_PROBLEMS_MAX)
  const change = {
    rows,
    beat_at: now,
    problems: JSON.stringify(problems),
    reading: JSON.stringify(parsed.reading),
    covers_from: parsed.covers.from,
    covers_to: parsed.covers.to,
  }
  const isHopeless = problems.length === BILL_PROBLEMS_MAX || rows > LINES_MAX
  return deps.database.transaction(async (tx) => {
    if (last || isHopeless) {
      const state = problems.length > 0 ? 'failed' : 'done'
      const end = { ...change, state, ended_at: now, reading: '' }
      if (!(await updateImport(tx, stored, end))) return false
      if (state === 'failed') {
        await clearStaged(tx, stored.id)
        return true
      }
      await stageLines(tx, deps.database.kind, parsed.lines)
      const added = await publishLines(tx, {
        importId: stored.id,
        sourceId: source.id,
        replaced: null,
      })
      const counts = { added, repeated: rows - added }
      await tx.updateTable('bill_imports').set(counts).where('id', '=', stored.id).execute()
      return true
    }
    if (!(await updateImport(tx, stored, change))) return false
    await stageLines(tx, deps.database.kind, parsed.lines)
    return true
  })
}

function parsePart(
  source: BillSourceRow,
  stored: StoredImport,
  { text, last }: { text: string; last: boolean },
): Parsed {
  const before = readReading(stored.reading)
  const isFirst = before.part === 0
  const all = before.rest + (isFirst ? text.replace(BYTE_ORDER_MARK, '') : text)
  const { records, rest } = last ? { records: all, rest: '' } : splitAtLastRecord(all)
  const parsed: Parsed = {
    reading: { ...before, part: before.part + 1, rest },
    lines: [],
    problems: [],
    covers: { from: stored.covers_from, to: stored.covers_to },
  }
  const isEndless = rest.length > RECORD_CHARACTERS_MAX || (last && hasOpenQuote(all))
  if (isEndless) {
    parsed.problems.push({ line: before.lines + 1, column: '', problem: 'unclosed_quote' })
    return parsed
  }
  if (parsed.reading.headers === null && records !== '') {
    parsed.reading.delimiter = delimiterOf(records.slice(0, records.indexOf('\n') + 1 || undefined))
  }
  for (const { line, fields } of readRecords(records, parsed.reading.delimiter)) {
    addRecord(source, stored, parsed, { line: before.lines + line, fields })
  }
  parsed.reading.lines += records.split('\n').length - 1
  return parsed
}

function addRecord(
  { zone, currency }: BillSourceRow,
  stored: StoredImport,
  parsed: Parsed,
  record: CsvRecord,
) {
  const { reading, lines, problems, covers } = parsed
  const { mapping } = reading
  if (reading.headers === null) {
    reading.headers = record.fields
    problems.push(...indexColumns(record.fields, mapping).problems)
    return
  }
  if (record.fields.length !== reading.headers.length) {
    problems.push({ line: record.line, column: '', problem: 'column_count' })
    return
  }
  const { indexes } = indexColumns(reading.headers, mapping)
  const read = readRow(record, indexes, { mapping, zone, currency })
  if ('problems' in read) {
    problems.push(...read.problems)
    return
  }
  const { use } = read
  lines.push(stagedLine(stored.id, stored.rows + lines.length, use))
  covers.from = covers.from === 0 ? use.from : Math.min(covers.from, use.from)
  covers.to = Math.max(covers.to, use.to, use.from + 1)
}

const PREVIEW_ROWS = 10

/** The first lines of a file, read with a mapping that the operator may still change. */
export function previewFile(
  { zone, currency }: BillSourceRow,
  text: string,
  mappingOf: (headers: readonly string[]) => BillMapping,
) {
  const whole = text.replace(BYTE_ORDER_MARK, '')
  const { records } = splitAtLastRecord(`${whole}\n`)
  const delimiter = delimiterOf(records.slice(0, records.indexOf('\n')))
  const [header, ...rest] = readSome(readRecords(records, delimiter), PREVIEW_ROWS + 1)
  const headers = header?.fields ?? []
  const mapping = mappingOf(headers)
  const { indexes, problems } = indexColumns(headers, mapping)
  const read = rest.map((record) => readRow(record, indexes, { mapping, zone, currency }))
  return {
    columns: [...headers],
    mapping,
    rows: read.flatMap((row) => ('use' in row ? [row.use] : [])),
    problems: [...problems, ...read.flatMap((row) => ('problems' in row ? row.problems : []))],
  }
}

function readSome<Item>(items: Iterable<Item>, most: number): Item[] {
  const some: Item[] = []
  for (const item of items) {
    some.push(item)
    if (some.length === most) break
  }
  return some
}
