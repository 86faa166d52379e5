import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  AppError,
  type Endpoint,
  type EndpointInput,
  firstProblem,
  type InBoth,
  type Language,
  parseIn,
} from '@tollgate/contract'
import { countNodes } from '@tollgate/relay'

const PARTS = ['params', 'query', 'body'] as const

/** Parses the input by the endpoint's schemas. Throws an error that names the invalid field. */
export function readInput<E extends Endpoint>(
  endpoint: E,
  request: FastifyRequest,
  language: Language,
): EndpointInput<E> {
  const parsed = PARTS.map((part) => {
    const schema = endpoint.parts[part]
    return [part, schema && parse(schema, given(part, request), part, language)]
  })
  // Safe because each part came from its schema.
  return Object.fromEntries(parsed) as EndpointInput<E>
}

function given(part: (typeof PARTS)[number], request: FastifyRequest): unknown {
  return part === 'body' ? withoutNulls(parseJson(request.body)) : request[part]
}

/** One API clients send null for fields without a value; null is treated as absent. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

function parse(schema: z.ZodType, value: unknown, part: string, language: Language): unknown {
  const parsed = parseIn(schema, value, language)
  if (!parsed.success) {
    const { field, problem } = firstProblem(parsed.error, language)
    throw new AppError('invalid_field', { field: field === '' ? part : field, problem })
  }
  const fault = faultIn(parsed.data, part)
  if (fault !== null) throw new AppError('invalid_field', fault)
  return parsed.data
}

/** Far deeper than any form; what walks through a value calls itself for each level. */
const DEPTH_MAX = 64

type Fault = { field: string; problem: InBoth }

const UNSTORABLE = { en: 'no NUL and no broken characters', zh: '不能包含空字符或残缺字符' }
const TOO_DEEP = { en: 'is nested too deeply', zh: '嵌套层数过多' }

/** PostgreSQL cannot store NUL, and neither database stores a lone surrogate. */
function faultIn(value: unknown, field: string, depth = 0): Fault | null {
  if (typeof value === 'string') {
    const isStorable = !value.includes('\0') && value.isWellFormed()
    return isStorable ? null : { field, problem: UNSTORABLE }
  }
  if (typeof value !== 'object' || value === null) return null
  if (depth === DEPTH_MAX) return { field, problem: TOO_DEEP }
  for (const [key, inner] of Object.entries(value)) {
    const fault = faultIn(inner, key, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** JSON values of a body under /api. The console's forms have less than a tenth of that. */
const VALUES_MAX = 50_000

/** Whether parsing and validating the body would block the event loop for too long. */
export const hasTooManyValues = (json: Buffer): boolean =>
  json.length > VALUES_MAX && countNodes(json, VALUES_MAX) > VALUES_MAX

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(body: unknown): unknown {
  const json = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (hasTooManyValues(json)) throw new AppError('too_many_values', { limit: VALUES_MAX })
  try {
    return JSON.parse(utf8.decode(json))
  } catch (error) {
    throw new AppError('malformed_json', {}, error)
  }
}
