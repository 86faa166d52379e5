import { z } from 'zod'
import { idText, wholeNumberText } from './units.ts'

/** `user` is any logged-in user, `admin` role 10 or higher, `root` role 100. */
export type RoleAccess = 'public' | 'user' | 'admin' | 'root'

/** `relay_key` callers send an API key; the data plane serves these endpoints. */
export type Access = RoleAccess | 'relay_key'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type Schema = z.ZodType

export type EndpointParts = {
  params?: Schema
  query?: Schema
  body?: Schema
  data?: Schema
  /** The answer is lines of JSON, each a row of this schema, in place of the envelope. */
  rows?: Schema
  /** Fields next to `data` in the envelope, which some clients of this API family expect. */
  extra?: Schema
  /** Marks a GET that changes state. Other methods always do. */
  changesState?: true
  /** HTTP status for a malformed JSON body where clients do not expect 200. */
  malformedBodyStatus?: 400
  /** The session must have confirmed its user within `CONFIRMATION_SECONDS`. */
  confirmed?: true
  /** Rejects access tokens. */
  sessionOnly?: true
  /** Open to administrators who have not yet set up the required second factor. */
  beforeSecondFactor?: true
}

export type Endpoint<
  Parts extends EndpointParts = EndpointParts,
  Allowed extends Access = RoleAccess,
> = {
  method: Method
  /** Has a trailing slash where the API family has one; both forms are served. */
  path: string
  access: Allowed
  parts: Parts
}

export type EndpointTable = Readonly<Record<string, Endpoint>>

/**
 * One row of the endpoint table, the source of routes, typed client, API document and access tests.
 */
export function endpoint<const Parts extends EndpointParts, const Allowed extends Access>(
  method: Method,
  path: string,
  access: Allowed,
  parts: Parts,
): Endpoint<Parts, Allowed> {
  return { method, path, access, parts }
}

/** State changes need protection against cross-site requests. */
export const changesState = ({ method, parts }: Endpoint<EndpointParts, Access>) =>
  method !== 'GET' || parts.changesState === true

type Out<T> = T extends Schema ? z.output<T> : undefined
type In<T> = T extends Schema ? z.input<T> : undefined

/** Handler input: parsed, with defaults applied. */
export type EndpointInput<E extends Endpoint> = {
  params: Out<E['parts']['params']>
  query: Out<E['parts']['query']>
  body: Out<E['parts']['body']>
}

export type EndpointCall<E extends Endpoint> = {
  [K in 'params' | 'query' | 'body' as E['parts'][K] extends Schema ? K : never]: In<E['parts'][K]>
}

export type EndpointRow<E extends Pick<Endpoint, 'parts'>> = Out<E['parts']['rows']>
export type EndpointData<E extends Pick<Endpoint, 'parts'>> = Out<E['parts']['data']>
export type EndpointExtra<E extends Endpoint> = Out<E['parts']['extra']>

const PAGE_SIZE_DEFAULT = 10
const PAGE_SIZE_MAX = 100
const PAGE_MAX = 1_000_000
/** Default and maximum number of search results. */
export const SEARCH_ROWS_MAX = 100
/** `X-Total-Count` is exact up to this value and reads "10000+" beyond. */
export const TOTAL_COUNT_MAX = 10_000

/** Invalid input means the first page; a number that is too large is clamped. */
const pageNumber = wholeNumberText({ least: 0, most: PAGE_MAX }).meta({
  en: 'the page, the first is 0',
  zh: '页码，从 0 开始',
})
/** Invalid input means the default, as clients of this API family expect. */
const rowCount = ({ usual, most }: { usual: number; most: number }) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .transform((size) => Math.min(size, most))
    .catch(usual)
    .default(usual)
    .meta({
      en: `how many rows, ${usual} by default, at most ${most}`,
      zh: `行数，默认 ${usual}，最多 ${most}`,
    })

const pageSize = rowCount({ usual: PAGE_SIZE_DEFAULT, most: PAGE_SIZE_MAX })

const ORDER = { en: 'which way it is sorted', zh: '排序方向' }

/** Query fields of a paged list, for schemas that add their own; see `pageQuery`. */
export function pageFields<const Column extends string>(columns: readonly [Column, ...Column[]]) {
  return {
    p: pageNumber,
    size: pageSize,
    before: idText
      .optional()
      .catch(undefined)
      .meta({ en: 'rows of lower ids alone, at any depth', zh: '仅返回 id 更小的行，深度不限' }),
    sort: z
      .enum(columns)
      .optional()
      .catch(undefined)
      .meta({ en: 'the column to sort by', zh: '排序的列' }),
    order: z.enum(['asc', 'desc']).catch('desc').default('desc').meta(ORDER),
  }
}

type Columns<Column> = readonly [Column, ...Column[]]

/** Page fields whose `order` may also be a column name, as older front ends send it. */
export function orderedPageFields<const Column extends string>(columns: Columns<Column>) {
  const order = z
    .union([z.enum(['asc', 'desc']), z.enum(columns)])
    .catch('desc')
    .default('desc')
    .meta({ en: `${ORDER.en}; or a column, greatest first`, zh: `${ORDER.zh}；或列名，从大到小` })
  return { ...pageFields(columns), order }
}

/** A column name in `order` means that column, descending. */
export function namedOrder<const Column extends string>(columns: Columns<Column>) {
  const column = z.enum(columns)
  return <Query extends { sort?: Column | undefined; order: string }>({
    sort,
    order,
    ...rest
  }: Query) => {
    const named = column.safeParse(order)
    if (named.success) return { ...rest, sort: sort ?? named.data, order: 'desc' as const }
    return { ...rest, sort, order: order === 'asc' ? ('asc' as const) : ('desc' as const) }
  }
}

/** Page query: `p` from 0, `size`, `before` (an id, for deep pages), `sort` by column, `order`. */
export const pageQuery = <const Column extends string>(columns: Columns<Column>) =>
  z.object(orderedPageFields(columns)).transform(namedOrder(columns))

/** An empty keyword matches everything. A smaller `size` returns a prefix of the larger result. */
export const keywordQuery = z.object({
  keyword: z.string().trim().max(200).default(''),
  size: rowCount({ usual: SEARCH_ROWS_MAX, most: SEARCH_ROWS_MAX }),
})

export type KeywordQuery = z.output<typeof keywordQuery>

/** Older front ends send `?status_only=true`. */
export const statusOnly = z
  .string()
  .optional()
  .meta({ en: 'with any text only the status is changed', zh: '任意非空值：仅修改状态' })

export const idParams = z.object({ id: idText })
