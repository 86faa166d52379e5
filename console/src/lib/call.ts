import { z } from 'zod'
import type { Endpoint, EndpointBeside, EndpointCall, EndpointData } from '@tollgate/contract'

/** Bulk work such as a channel test may take a while; nothing waits longer than this. */
const DEADLINE_MS = 120_000

const refusal = z.object({ success: z.literal(false), message: z.string() })

export type CallFailure =
  | { kind: 'refused'; message: string }
  | { kind: 'http'; status: number; message: string; retryAfterSeconds?: number }
  | { kind: 'network'; message: string }
  | { kind: 'unreadable'; message: string }

/** The one error of a call; `failure` tells what to say and do. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: CallFailure

  constructor(failure: CallFailure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause })
    this.failure = failure
  }
}

/** How many rows there are; `more` when the server stopped counting. */
export type Total = { count: number; more: boolean }

export type Answer<E extends Endpoint> = {
  data: EndpointData<E>
  beside: EndpointBeside<E>
  total: Total | null
}

type Primitive = string | number | boolean

export type CallParts = {
  params?: Readonly<Record<string, Primitive>>
  query?: Readonly<Record<string, Primitive | null | undefined>>
  body?: unknown
}

export type CallSettings = { language: string; fetch: typeof fetch; signal?: AbortSignal }

/** Path with its parameters and the query; empty values are left out. */
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

/** `X-Total-Count` reads as a number, or as "10000+" when the server stopped counting. */
export function parseTotal(header: string | null): Total | null {
  const match = /^(\d+)(\+?)$/.exec(header ?? '')
  return match ? { count: Number(match[1]), more: match[2] === '+' } : null
}

export async function callWith<E extends Endpoint>(
  settings: CallSettings,
  endpoint: E,
  parts: EndpointCall<E> & CallParts,
): Promise<Answer<E>> {
  const response = await send(settings, endpoint, parts)
  if (!response.ok) throw httpError(response)
  const body = await readJson(response)
  const refused = refusal.safeParse(body)
  if (refused.success) throw new CallError({ kind: 'refused', message: refused.data.message })
  const { data, beside } = parseAnswer(endpoint, body)
  return { data, beside, total: parseTotal(response.headers.get('X-Total-Count')) }
}

async function send(
  { language, fetch, signal }: CallSettings,
  endpoint: Endpoint,
  parts: CallParts,
) {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const hasBody = parts.body !== undefined
  try {
    return await fetch(callUrl(endpoint.path, parts), {
      method: endpoint.method,
      headers: {
        'Accept-Language': language,
        ...(hasBody && { 'Content-Type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(parts.body) }),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new CallError({ kind: 'network', message }, cause)
  }
}

function httpError({ status, statusText, headers }: Response) {
  const message = `${status} ${statusText}`.trim()
  const retryAfterSeconds = Number(headers.get('Retry-After') ?? 0)
  return new CallError({
    kind: 'http',
    status,
    message,
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  })
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new CallError({ kind: 'unreadable', message: 'the answer is not JSON' }, cause)
    }
    throw new CallError({ kind: 'network', message: 'the answer broke off' }, cause)
  }
}

function parseAnswer<E extends Endpoint>(endpoint: E, body: unknown) {
  const { data, beside } = endpoint.parts
  const answer = z.object({ success: z.literal(true), ...(data && { data }) }).safeParse(body)
  const extra = beside?.safeParse(body)
  if (!answer.success || extra?.success === false) {
    const cause = answer.error ?? extra?.error
    const where = cause?.issues[0]?.path.join('.') ?? ''
    throw new CallError({ kind: 'unreadable', message: `unexpected answer at ${where}` }, cause)
  }
  return {
    // Safe because the schemas parsed above are the ones these types are inferred from.
    data: answer.data.data as EndpointData<E>,
    beside: extra?.data as EndpointBeside<E>,
  }
}
