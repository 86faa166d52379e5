import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  AppError,
  type Endpoint,
  type EndpointInput,
  firstProblem,
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
  const field = findUnstorable(parsed.data, part)
  if (field === null) return parsed.data
  const problem = language === 'zh' ? '不能包含空字符或残缺字符' : 'no NUL and no broken characters'
  throw new AppError('invalid_field', { field, problem })
}

/** PostgreSQL cannot store NUL, and neither database stores a lone surrogate. */
function findUnstorable(value: unknown, name: string): string | null {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? name : null
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const found = findUnstorable(inner, key)
    if (found !== null) return found
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
