import { type Compilable, CompiledQuery } from 'kysely'
import type { Quota, Seconds } from '@tollgate/contract'
import { bulkInsertValues } from '../../store/bulk.ts'
import type { Database } from '../../store/database.ts'
import { HISTOGRAM_BUCKETS } from '../../store/hour-tables.ts'
import { bucketOf, hourAt, SECONDS_PER_DAY, SUM_TABLES } from '../apply/rollups.ts'
import { saturatingSumSql } from '../apply/saturate.ts'

/** A request that the other gateway has charged, or several as one. */
export type ImportedUse = {
  readonly userId: number
  readonly tokenId: number
  readonly channel: number
  readonly model: string
  readonly group: string
  readonly at: Seconds
  readonly charged: Quota
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  /** Null if unknown. */
  readonly elapsedMs: number | null
  readonly firstTokenMs: number
}

type Kind = Database['kind']

/** A temporary table, from which the database makes the sums of a transaction. */
const USES = 'imported_uses'

const COLUMNS = {
  user_id: 'bigint',
  token_id: 'bigint',
  channel_id: 'bigint',
  model_name: 'text',
  group_name: 'text',
  hour: 'bigint',
  day: 'bigint',
  charged: 'bigint',
  requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  latency: 'bigint',
  first_token: 'bigint',
} as const

const NO_BUCKET = -1

const rowOf = (use: ImportedUse) => {
  const { elapsedMs, firstTokenMs } = use
  return [
    use.userId,
    use.tokenId,
    use.channel,
    use.model,
    use.group,
    hourAt(use),
    Math.floor(use.at / SECONDS_PER_DAY),
    use.charged,
    use.requests,
    use.promptTokens,
    use.completionTokens,
    use.cachedTokens,
    elapsedMs === null ? NO_BUCKET : bucketOf(elapsedMs),
    elapsedMs === null || firstTokenMs <= 0 ? NO_BUCKET : bucketOf(firstTokenMs),
  ]
}

/** The sum of a column, or the largest number that JavaScript counts exactly. */
const sumOf = (kind: Kind, column: string) =>
  kind === 'sqlite'
    ? `cast(min(${Number.MAX_SAFE_INTEGER}.0, total(${column})) as bigint)`
    : `least(${Number.MAX_SAFE_INTEGER}, sum(${column}))::bigint`

const countOf = (column: string, bucket: number) =>
  `sum(case when ${column} = ${bucket} then 1 else 0 end)`

/** What imported use has of the amounts of a table; the rest stays 0. */
function amountsOf(kind: Kind, names: readonly string[]): [string, string][] {
  const sums: Record<string, string> = { quota: sumOf(kind, 'charged') }
  for (const name of ['charged', 'requests', 'prompt_tokens', 'completion_tokens'] as const) {
    sums[name] = sumOf(kind, name)
  }
  sums['cached_tokens'] = sumOf(kind, 'cached_tokens')
  for (const bucket of HISTOGRAM_BUCKETS) {
    sums[`latency_${bucket}`] = countOf('latency', bucket)
    sums[`first_token_${bucket}`] = countOf('first_token', bucket)
  }
  return names.flatMap((name) => {
    const sum = sums[name]
    return sum === undefined ? [] : [[name, sum]]
  })
}

/**
 * Rows are locked in the order of `bulkAddition`, whose batches may write the same rows meanwhile.
 * SQLite has one writer.
 */
const placeOf = (kind: Kind, keys: readonly string[]) =>
  kind === 'sqlite' ? null : `concat_ws(chr(1), ${keys.join(', ')}) collate "C"`

/** SQLite needs the condition to tell `on conflict` from a join. */
function addition(
  kind: Kind,
  table: string,
  { key, names }: { key: object; names: readonly string[] },
) {
  const columnsOfKey = Object.keys(key)
  const keys = columnsOfKey.join(', ')
  const amounts = amountsOf(kind, names)
  const columns = amounts.map(([name]) => name)
  const increments = columns.map(
    (name) => `${name} = ${saturatingSumSql(`${table}.${name}`, `excluded.${name}`)}`,
  )
  const place = placeOf(kind, columnsOfKey)
  return `insert into ${table} (${keys}, ${columns.join(', ')})
    select ${keys}, ${amounts.map(([, sum]) => sum).join(', ')} from ${USES} where true
    group by ${place === null ? keys : `${place}, ${keys} order by ${place}`}
    on conflict (${keys}) do update set ${increments.join(', ')}`
}

const declarations = Object.entries(COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

const raw = (text: string): Compilable => ({ compile: () => CompiledQuery.raw(text) })

const emptyTable = (kind: Kind): string[] => [
  `create temp table if not exists ${USES} (${declarations})${kind === 'sqlite' ? '' : ' on commit drop'}`,
  `delete from ${USES}`,
]

const insertUses = bulkInsertValues(USES, COLUMNS)

const texts = (kind: Kind) =>
  Object.entries(SUM_TABLES).map(([table, columns]) => addition(kind, table, columns))

/** Rows that are sorted by their key are summed with little memory, and need no second sort. */
const SETTINGS: Readonly<Record<Kind, readonly string[]>> = {
  sqlite: [],
  postgres: [
    'set local enable_hashagg = off',
    "set local work_mem = '64MB'",
    'set local jit = off',
  ],
}

const ADDITIONS: Readonly<Record<Kind, readonly string[]>> = {
  sqlite: texts('sqlite'),
  postgres: texts('postgres'),
}

/** Prepares the database for the use of a transaction. */
export const emptyStage = (kind: Kind): Compilable[] => emptyTable(kind).map(raw)

/** Rows cross to the database once, for all tables of sums. */
export const stageUses = (kind: Kind, uses: readonly ImportedUse[]): Compilable[] =>
  insertUses(kind, uses.map(rowOf))

/** Adds the staged use to the sums of days and hours. */
export const addStagedSums = (kind: Kind): Compilable[] =>
  [...SETTINGS[kind], ...ADDITIONS[kind]].map(raw)
