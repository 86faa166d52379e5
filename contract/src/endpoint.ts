import { z } from 'zod'
import { idText, wholeNumberText } from './units.ts'

/** Who may call: anybody, anyone signed in, role 10 and more, role 100. */
export type RoleAccess = 'public' | 'user' | 'admin' | 'root'

/** `relay_key` is whoever sends a key of a token; such endpoints are the data plane's. */
export type Access = RoleAccess | 'relay_key'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type Schema = z.ZodType

export type EndpointParts = {
  params?: Schema
  query?: Schema
  body?: Schema
  data?: Schema
  /** Fields that stand beside `data` in the envelope, as some clients of this family expect. */
  beside?: Schema
  /** A GET that changes something all the same; other methods always do. */
  changesState?: true
  /** HTTP status for a body that is no JSON, where clients expect another than 200. */
  malformedBodyStatus?: 400
  /** The session must have confirmed who is at the browser within `CONFIRMATION_SECONDS`. */
  confirmed?: true
  /** Access tokens are refused. */
  sessionOnly?: true
  /** Open to administrators who still have to set up the second factor that the server requires. */
  beforeSecondFactor?: true
}

export type Endpoint<
  Parts extends EndpointParts = EndpointParts,
  Allowed extends Access = RoleAccess,
> = {
  method: Method
  /** Written with a trailing slash where the family does; both forms are served. */
  path: string
  access: Allowed
  parts: Parts
}

export type EndpointTable = Readonly<Record<string, Endpoint>>

/** One row of the endpoint table: routes, typed client, API document and security tests come from it. */
export function endpoint<const Parts extends EndpointParts, const Allowed extends Access>(
  method: Method,
  path: string,
  access: Allowed,
  parts: Parts,
): Endpoint<Parts, Allowed> {
  return { method, path, access, parts }
}

/** What another site must not make a signed-in browser send. */
export const changesState = ({ method, parts }: Endpoint<EndpointParts, Access>) =>
  method !== 'GET' || parts.changesState === true

type Out<T> = T extends Schema ? z.output<T> : undefined
type In<T> = T extends Schema ? z.input<T> : undefined

/** What a handler gets: parsed and with its defaults. */
export type EndpointInput<E extends Endpoint> = {
  params: Out<E['parts']['params']>
  query: Out<E['parts']['query']>
  body: Out<E['parts']['body']>
}

/** What a caller gives: only the parts the endpoint declares. */
export type EndpointCall<E extends Endpoint> = {
  [K in 'params' | 'query' | 'body' as E['parts'][K] extends Schema ? K : never]: In<E['parts'][K]>
}

export type EndpointData<E extends Pick<Endpoint, 'parts'>> = Out<E['parts']['data']>
export type EndpointBeside<E extends Endpoint> = Out<E['parts']['beside']>

const PAGE_SIZE_DEFAULT = 10
const PAGE_SIZE_MAX = 100
const PAGE_MAX = 1_000_000
/** What a search answers at most, and unless fewer are asked for. */
export const SEARCH_ROWS_MAX = 100
/** `X-Total-Count` is exact up to here and reads "10000+" beyond. */
export const TOTAL_COUNT_MAX = 10_000

/** What is no page is the first; no page is as far as the last one that can be named. */
const pageNumber = wholeNumberText({ least: 0, most: PAGE_MAX }).meta({
  en: 'the page, the first is 0',
  zh: '页码，从 0 开始',
})
/** What is no size is the usual one, as clients of this family expect. */
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

/** The fields of a page; `pageQuery` makes a query of them. */
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

/** The fields of a page whose `order` may be a column, as older front ends send it. */
export function orderedPageFields<const Column extends string>(columns: Columns<Column>) {
  const order = z
    .union([z.enum(['asc', 'desc']), z.enum(columns)])
    .catch('desc')
    .default('desc')
    .meta({ en: `${ORDER.en}; or a column, greatest first`, zh: `${ORDER.zh}；或列名，从大到小` })
  return { ...pageFields(columns), order }
}

/** A column in `order` means its greatest first. */
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

/** `p` from 0, `size`, `before` (an id, for deep pages), `sort` by one of the columns named, `order`. */
export const pageQuery = <const Column extends string>(columns: Columns<Column>) =>
  z.object(orderedPageFields(columns)).transform(namedOrder(columns))

/** An empty keyword matches everything; fewer rows are the first of those that more would be. */
export const keywordQuery = z.object({
  keyword: z.string().trim().max(200).default(''),
  size: rowCount({ usual: SEARCH_ROWS_MAX, most: SEARCH_ROWS_MAX }),
})

export type KeywordQuery = z.output<typeof keywordQuery>

/** As older front ends send it: `?status_only=true`. */
export const statusOnly = z
  .string()
  .optional()
  .meta({ en: 'with any text only the status is changed', zh: '任意非空值：仅修改状态' })

export const idParams = z.object({ id: idText })
