import {
  CONFIRMATION_WAYS,
  type ConfirmationWay,
  type Endpoint,
  type EndpointExtra,
  type EndpointCall,
  type EndpointData,
} from '@tollgate/contract'
import { noteServerTime } from './server-clock.ts'

/** Maximum duration of a call. Bulk work such as a channel test can take minutes. */
const DEADLINE_MS = 120_000

/** Longer error bodies cannot come from our server and are discarded. */
const REFUSAL_BYTES_MAX = 16_384

type Refusal = {
  message: string
  /** The input field at fault. */
  field?: string | undefined
  /** What is wrong with the field; without it, the message says it. */
  problem?: string | undefined
  /** Identifies a refusal that the code handles instead of showing. */
  code?: string | undefined
  ways?: readonly ConfirmationWay[] | undefined
}

/** No response, a timeout, or a response cut off in the middle. */
type NetworkReason = 'unreachable' | 'late' | 'brokenOff'
/**
 * A web page (from a proxy or captive portal), a body that is not JSON, or JSON of another shape.
 */
type UnreadableReason = 'webPage' | 'notJson' | 'unexpected'

export type CallFailure =
  | ({ kind: 'refused' } & Refusal)
  | ({ kind: 'http'; status: number; retryAfterSeconds?: number } & Refusal)
  | { kind: 'network'; reason: NetworkReason; message: string }
  | { kind: 'unreadable'; reason: UnreadableReason; message: string }

/** The only error a call throws; `failure` decides what is shown and done. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: CallFailure

  constructor(failure: CallFailure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause })
    this.failure = failure
  }
}

/** The server's refusal, or null for every other error. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof CallError)) return null
  const { failure } = error
  return failure.kind === 'refused' || failure.kind === 'http' ? failure : null
}

/** Number of rows; `more` is true when the server stopped counting at its limit. */
export type Total = { count: number; more: boolean }

export type Answer<E extends Endpoint> = {
  data: EndpointData<E>
  extra: EndpointExtra<E>
  total: Total | null
}

type Primitive = string | number | boolean

export type CallParts = {
  params?: Readonly<Record<string, Primitive>>
  query?: Readonly<Record<string, Primitive | null | undefined>>
  body?: unknown
}

export type CallSettings = {
  language: string
  fetch: (path: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal
}

/** Fills the path parameters and appends the query. Empty query values are left out. */
export function callUrl(path: string, { params, query }: CallParts): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params?.[name]
    if (value === undefined) throw new Error(`The path ${path} needs ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** `X-Total-Count` is a number, or "10000+" when the server stopped counting. */
export function parseTotal(header: string | null): Total | null {
  const match = /^(\d+)(\+?)$/.exec(header ?? '')
  return match ? { count: Number(match[1]), more: match[2] === '+' } : null
}

export async function callWith<E extends Endpoint>(
  settings: CallSettings,
  endpoint: E,
  parts: EndpointCall<E> & CallParts,
): Promise<Answer<E>> {
  const { body, headers } = await send(settings, endpoint, parts)
  const { data, extra } = parseAnswer(endpoint, body)
  return { data, extra, total: parseTotal(headers.get('X-Total-Count')) }
}

type Target = Pick<Endpoint, 'method' | 'path'>

type Json = Readonly<Record<string, unknown>>

/** Sends a call and returns the envelope of its success, whose data nobody has checked. */
export async function send(settings: CallSettings, target: Target, parts: CallParts) {
  const { response, text } = await ask(settings, target, parts)
  if (!response.ok) throw httpError(response, text)
  const body = parseJson(text)
  const refused = refusalIn(body)
  if (refused) throw new CallError({ kind: 'refused', ...refused })
  if (!isObject(body) || body['success'] !== true) throw unexpectedAnswer('success')
  return { body, headers: response.headers }
}

/** Sends the request and reads the whole answer. An abort by the caller is rethrown unchanged. */
async function ask(
  { language, fetch, signal }: CallSettings,
  endpoint: Target,
  parts: CallParts,
): Promise<{ response: Response; text: string }> {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const hasBody = parts.body !== undefined
  let reason: NetworkReason = 'unreachable'
  try {
    const response = await fetch(callUrl(endpoint.path, parts), {
      method: endpoint.method,
      headers: {
        'Accept-Language': language,
        ...(hasBody && { 'Content-Type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(parts.body) }),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    noteServerTime(response.headers.get('Date'))
    reason = 'brokenOff'
    return { response, text: await (response.ok ? response.text() : readRefusal(response)) }
  } catch (cause) {
    if (signal?.aborted) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new CallError(
      { kind: 'network', reason: deadline.aborted ? 'late' : reason, message },
      cause,
    )
  }
}

/**
 * Body of an error response. Empty unless it is JSON within the size limit, since proxies may send
 * error pages of any size.
 */
async function readRefusal({ headers, body }: Response): Promise<string> {
  const reader = body?.getReader()
  if (!reader || headers.get('Content-Type')?.includes('json') !== true) {
    await reader?.cancel()
    return ''
  }
  const decoder = new TextDecoder()
  let text = ''
  for (let size = 0; size <= REFUSAL_BYTES_MAX;) {
    const { done, value } = await reader.read()
    if (done) return text
    size += value.length
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return ''
}

function httpError({ status, statusText, headers }: Response, text: string) {
  const refused = refusalInText(text)
  const message = refused?.message.trim() || `${status} ${statusText}`.trim()
  const seconds = Number(headers.get('Retry-After') ?? 0)
  const wait = Number.isSafeInteger(seconds) && seconds > 0 && { retryAfterSeconds: seconds }
  return new CallError({ kind: 'http', status, ...refused, message, ...wait })
}

function refusalInText(text: string): Refusal | undefined {
  try {
    return refusalIn(JSON.parse(text))
  } catch {
    return undefined
  }
}

function refusalIn(body: unknown): Refusal | undefined {
  if (!isObject(body) || body['success'] !== false) return undefined
  const { message, field, problem, code, ways } = body
  if (typeof message !== 'string') return undefined
  return {
    message,
    ...(typeof field === 'string' && { field }),
    ...(typeof problem === 'string' && { problem }),
    // Proxies and older servers put numbers and other types here.
    ...(typeof code === 'string' && { code }),
    // Drops ways this version does not know.
    ...(Array.isArray(ways) && { ways: CONFIRMATION_WAYS.filter((way) => ways.includes(way)) }),
  }
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const start = text.trimStart()
    if (start.startsWith('{')) {
      const message = 'the answer ended in its middle'
      throw new CallError({ kind: 'network', reason: 'brokenOff', message }, cause)
    }
    const reason = start.startsWith('<') ? 'webPage' : 'notJson'
    throw new CallError({ kind: 'unreadable', reason, message: 'the answer is not JSON' }, cause)
  }
}

function parseAnswer<E extends Endpoint>({ parts }: E, body: Json) {
  const data = parts.data?.safeParse(body['data'])
  const extra = parts.extra?.safeParse(body)
  if (data?.success === false) throw unexpectedAnswer(pathOf(['data'], data.error), data.error)
  if (extra?.success === false) throw unexpectedAnswer(pathOf([], extra.error), extra.error)
  return {
    // Safe because the schemas parsed above are the ones these types are inferred from.
    data: data?.data as EndpointData<E>,
    extra: extra?.data as EndpointExtra<E>,
  }
}

type Issues = { issues: readonly { path: readonly PropertyKey[] }[] }

const pathOf = (above: readonly string[], { issues }: Issues) =>
  [...above, ...(issues[0]?.path ?? [])].join('.')

export const unexpectedAnswer = (where: string, cause?: unknown) =>
  new CallError(
    { kind: 'unreadable', reason: 'unexpected', message: `unexpected answer at ${where}` },
    cause,
  )
