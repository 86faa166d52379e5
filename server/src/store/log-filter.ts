import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { COMPLETE_REASONS, END_REASON, LOG_TYPE, type LogResult } from '@tollgate/contract'
import type { Schema } from './schema.ts'

/** Null, 0 and the empty text or list match everything. Other texts match exactly. */
export type LogFilter = {
  userId?: number
  type: number
  username?: string
  token_name: string
  model_name: string
  channel?: number
  /** Both bounds are inclusive. */
  start_timestamp: number
  end_timestamp: number
} & Partial<FurtherFilter>

/** Conditions without an index of their own. */
type FurtherFilter = {
  request_id: string
  outcome: readonly LogResult[]
  error: string
  endpoint: string
  group: string
  stream: '' | 'true' | 'false'
  /** Parts of names in any case, with `*` as wildcard. */
  model_part: string
  token_part: string
  user_part: string
  /** What the parts match, if it is known. */
  found: { model_name?: ValuesOfPart; token_name?: ValuesOfPart; user_id?: ValuesOfPart }
  /** The index that finds the few rows of a value. */
  rare: RareIndex | null
  min_quota: number | null
  max_quota: number | null
  min_duration: number | null
  max_duration: number | null
}

/** `isRare`: an index by the column finds the rows sooner than reading them all. */
export type ValuesOfPart = { values: readonly (string | number)[]; isRare: boolean }

/**
 * By its first column. The index by endpoint has the group second, so that it also finds a group in
 * all endpoints of the log.
 */
export type RareIndex =
  | { column: 'channel' | 'model_name' }
  | { column: 'endpoint'; endpoints: readonly string[] }

type Condition = RawBuilder<boolean>

/**
 * Must match the predicate of partial indexes. True for rows that are not requests and for requests
 * that cost nothing.
 */
export const IS_UNSETTLED = sql<boolean>`outcome <> 'settled'`

/**
 * Must match the predicate of the partial index by id, which `IS_UNSETTLED` implies. False for
 * complete answers, by far the most rows.
 */
const IS_INCOMPLETE = sql<boolean>`(outcome <> 'settled' or end_reason not in ('finished', ''))`

/** Must match the predicate of the partial index by endpoint and group. */
export const IS_UNUSUAL = sql<boolean>`(endpoint <> 'chat' or "group" <> 'default')`

/** Whether the index by endpoint and group has all rows of the filter. */
export const isUnusual = ({ endpoint = '', group = '' }: LogFilter): boolean =>
  (endpoint !== '' && endpoint !== 'chat') || (group !== '' && group !== 'default')

/** Only requests are charged; their type is by far the most frequent. */
const isUnsettled = (type: number): boolean => type !== 0 && type !== LOG_TYPE.consume

export const ofType = <Row>(query: SelectQueryBuilder<Schema, 'logs', Row>, type: number) =>
  query.where('type', '=', type).$if(isUnsettled(type), (rows) => rows.where(IS_UNSETTLED))

/** Only requests have these fields. */
const isOfRequest = ({ token_name, model_name, channel = 0 }: LogFilter) =>
  token_name !== '' || model_name !== '' || channel !== 0

type Equality = { column: string; value: number | string; isSelective: boolean }

/** Equality filters whose column has an index in the order of ids, most selective first. */
function equalities(filter: LogFilter): Equality[] {
  const candidates: [string, number | string | undefined, boolean][] = [
    ['request_id', filter.request_id, true],
    ['user_id', filter.userId, true],
    ['username', filter.username, true],
    ['token_name', filter.token_name, true],
    ['channel', filter.channel, false],
    ['model_name', filter.model_name, false],
    ['type', filter.type, false],
  ]
  return candidates.flatMap(([column, value, isSelective]) =>
    value === undefined || value === 0 || value === '' ? [] : [{ column, value, isSelective }],
  )
}

const RESULTS: Readonly<Record<LogResult, Condition>> = {
  answered: sql`(outcome = 'settled' and end_reason in (${sql.join(COMPLETE_REASONS)}))`,
  cut_off: sql`(outcome = 'settled' and end_reason not in
    (${sql.join([...COMPLETE_REASONS, END_REASON.clientLeft])}))`,
  failed: sql`(outcome = 'void' and end_reason <> ${END_REASON.clientLeft})`,
  refused: sql`(outcome = 'refused' and end_reason <> ${END_REASON.clientLeft})`,
  cancelled: sql`end_reason = ${END_REASON.clientLeft}`,
}

/** Whether an index finds the rows, which are few. */
export const isSelective = (filter: LogFilter): boolean =>
  equalities(filter)[0]?.isSelective === true

/** Whether a partial index finds the rows. */
export const findsIncomplete = ({ type, outcome = [], error = '' }: LogFilter): boolean =>
  isUnsettled(type) || isIncomplete(outcome, error)

/** Whether the filter's rows are found by an index that has them in another order than by id. */
export const isUnordered = ({ rare, found = {} }: LogFilter): boolean =>
  rare?.column === 'endpoint' ||
  Object.values(found).some(({ values, isRare }) => isRare && values.length > 1)

/** The partial index by id, which has all facts, finds these alone. */
const isIncomplete = (results: readonly LogResult[], error: string) =>
  (results.length > 0 && !results.includes('answered')) ||
  (error !== '' && !COMPLETE_REASONS.includes(error))

/**
 * Keeps the database from finding the rows of a condition by an index. PostgreSQL estimates their
 * number all the same, unlike that of an expression.
 */
const unindexed = (condition: Condition): Condition => sql`(${condition}) is true`

function isAmong(column: string, { values, isRare }: ValuesOfPart): Condition {
  if (values.length === 0) return sql.lit(false)
  const condition: Condition = sql`${sql.ref(column)} in (${sql.join(values)})`
  return isRare ? condition : unindexed(condition)
}

/** A search by user would use the index by user for thousands of users in turn. */
const isOfUser = (part: string): Condition =>
  unindexed(sql`user_id in (select id from users where ${hasPart('username', part)})`)

/** Only requests have an outcome, a charge and a duration. */
const IS_REQUEST: Condition = sql`type = ${sql.lit(LOG_TYPE.consume)}`

/** SQLite's `like` observes the case, and its `lower` folds no letters outside of ASCII. */
export const hasPart = (column: string, part: string): Condition =>
  sql`lower(${sql.ref(column)}) like lower(${patternOf(part)}) escape '\\'`

function patternOf(part: string): string {
  const escaped = part.replaceAll(/[\\%_]/g, '\\$&')
  return `%${escaped.replaceAll('*', '%')}%`
}

export function conditionsOfEndpoint({ endpoint = '', group = '', rare }: LogFilter): Condition[] {
  const ofGroup: Condition = sql`${sql.ref('group')} = ${group}`
  if (rare?.column === 'endpoint') {
    const ofEndpoint = isAmong('endpoint', { values: rare.endpoints, isRare: true })
    return [ofEndpoint, IS_UNUSUAL, ...(group === '' ? [] : [ofGroup])]
  }
  const given = [endpoint !== '' && sql<boolean>`endpoint = ${endpoint}`, group !== '' && ofGroup]
  return given.filter((condition) => condition !== false).map(unindexed)
}

/** Conditions that are tested for each row, mostly from the index by id with all facts. */
function furtherConditions(filter: LogFilter): Condition[] {
  const { outcome = [], error = '', stream = '' } = filter
  const { model_part = '', token_part = '', user_part = '', found = {} } = filter
  const bounds = [
    ['quota', '>=', filter.min_quota],
    ['quota', '<=', filter.max_quota],
    ['elapsed_time', '>=', filter.min_duration],
    ['elapsed_time', '<=', filter.max_duration],
  ] as const
  const conditions: (Condition | false)[] = [
    isIncomplete(outcome, error) && IS_INCOMPLETE,
    outcome.length > 0 &&
      sql`(${sql.join(
        outcome.map((name) => RESULTS[name]),
        sql` or `,
      )})`,
    error !== '' && sql`end_reason = ${error}`,
    ...conditionsOfEndpoint(filter),
    stream !== '' && sql`is_stream = ${stream === 'true' ? 1 : 0} and ${IS_REQUEST}`,
    model_part !== '' &&
      (found.model_name
        ? isAmong('model_name', found.model_name)
        : hasPart('model_name', model_part)),
    token_part !== '' &&
      (found.token_name
        ? isAmong('token_name', found.token_name)
        : hasPart('token_name', token_part)),
    user_part !== '' && (found.user_id ? isAmong('user_id', found.user_id) : isOfUser(user_part)),
    ...bounds.map(([column, operator, value]): Condition | false =>
      value === undefined || value === null
        ? false
        : sql`${sql.ref(column)} ${sql.raw(operator)} ${value} and ${IS_REQUEST}`,
    ),
  ]
  return conditions.filter((condition) => condition !== false)
}

/** Undefined if the rows are found by id or time, or by a part of a name. */
function indexedColumn(filter: LogFilter, { isScan }: { isScan: boolean }): string | undefined {
  const [first] = equalities(filter)
  if (first?.isSelective) return first.column
  if (filter.rare) return filter.rare.column
  return isScan || first?.column === 'type' ? undefined : first?.column
}

/** `scans` is set for queries that read all rows of the filter in another order than by id. */
export function filtered<Row>(
  query: SelectQueryBuilder<Schema, 'logs', Row>,
  filter: LogFilter,
  { scans = false }: { scans?: boolean } = {},
): SelectQueryBuilder<Schema, 'logs', Row> {
  const further = furtherConditions(filter)
  const indexed = indexedColumn(filter, { isScan: scans || further.length > 0 })
  let narrowed = query
  for (const { column, value } of equalities(filter)) {
    // Most columns have an index. SQLite has no statistics, and would choose a less selective
    // index, or one without the columns of the further conditions.
    const condition = sql<boolean>`${sql.ref(column)} = ${value}`
    const isPlain = column === indexed || column === 'type'
    narrowed = narrowed.where(isPlain ? condition : unindexed(condition))
  }
  if (isUnsettled(filter.type) && isOfRequest(filter)) narrowed = narrowed.where(sql.lit(false))
  if (isUnsettled(filter.type)) narrowed = narrowed.where(IS_UNSETTLED)
  if (filter.start_timestamp > 0) {
    narrowed = narrowed.where('created_at', '>=', filter.start_timestamp)
  }
  if (filter.end_timestamp > 0) {
    narrowed = narrowed.where('created_at', '<=', filter.end_timestamp)
  }
  return further.reduce((rows, condition) => rows.where(condition), narrowed)
}

/** Whether rows are sought by cost or duration and nothing else but the time. */
export const isByMeasureAlone = (filter: LogFilter): boolean => {
  const { min_quota, max_quota, min_duration, max_duration, ...rest } = filter
  const isMeasured = [min_quota, max_quota, min_duration, max_duration].some(
    (bound) => bound !== undefined && bound !== null,
  )
  return isMeasured && equalities(rest).length === 0 && furtherConditions(rest).length === 0
}

/** Whether rows are tested for more than equalities that have an index in the order of ids. */
export const hasFurther = (filter: LogFilter): boolean => furtherConditions(filter).length > 0

/** Whether a sum must read the log, as the rollups lack a column of the filter. */
export const needsLog = (filter: LogFilter): boolean =>
  hasFurther(filter) || (filter.request_id ?? '') !== ''
