import { z } from 'zod'
import {
  type Access,
  BILLING_PREFIXES,
  changesState,
  type Language,
  listDocumented,
  type Method,
} from '@tollgate/contract'
import { SUMMARIES_ZH } from './summaries-zh.ts'
import { SUMMARIES } from './summaries.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

export type EndpointDescription = {
  name: string
  resource: string
  method: Method
  /** Parameters are written as `{id}`. */
  path: string
  access: Access
  /** Further prefixes the path is served under. */
  prefixes: readonly string[]
  summary: string
  params: JsonSchema | undefined
  query: JsonSchema | undefined
  body: JsonSchema | undefined
  data: JsonSchema | undefined
  /** A line of an answer that is lines of JSON. */
  rows: JsonSchema | undefined
  /** Whether every success response has data. */
  hasData: boolean
  extra: JsonSchema | undefined
  changesState: boolean
  needsConfirmation: boolean
  sessionOnly: boolean
  /** Paged endpoints also report the total number of rows. */
  isPaged: boolean
  malformedBodyStatus: number
}

const summaries: Readonly<
  Record<Language, Readonly<Record<string, Readonly<Record<string, string>>>>>
> = { en: SUMMARIES, zh: SUMMARIES_ZH }

export function describeEndpoints(language: Language = 'en'): EndpointDescription[] {
  return listDocumented().map(({ resource, name, endpoint }) => {
    const { params, query, body, data, rows, extra, malformedBodyStatus } = endpoint.parts
    const describe = (schema: z.ZodType, io: 'input' | 'output') =>
      describeSchema(schema, io, language)
    const summary = summaries[language][resource]?.[name]
    if (summary === undefined) throw new Error(`${resource}.${name} has no summary`)
    const querySchema = query && describe(query, 'input')
    return {
      name,
      resource,
      method: endpoint.method,
      path: endpoint.path.replace(/:(\w+)/g, '{$1}'),
      access: endpoint.access,
      prefixes: endpoint.access === 'relay_key' ? BILLING_PREFIXES.filter(Boolean) : [],
      summary,
      params: params && describe(params, 'input'),
      query: querySchema,
      body: body && describe(body, 'input'),
      data: data && describe(data, 'output'),
      rows: rows && describe(rows, 'output'),
      hasData: data !== undefined && !data.safeParse(undefined).success,
      extra: extra && describe(extra, 'output'),
      changesState: changesState(endpoint),
      needsConfirmation: endpoint.parts.confirmed === true,
      sessionOnly: endpoint.parts.sessionOnly === true,
      isPaged: querySchema?.properties?.['p'] !== undefined,
      malformedBodyStatus: malformedBodyStatus ?? 200,
    }
  })
}

function describeSchema(schema: z.ZodType, io: 'input' | 'output', language: Language): JsonSchema {
  const described = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const rules = jsonSchema.type === 'string' ? rulesOf(zodSchema, language) : []
      if (rules.length > 0) jsonSchema.description = rules.join('; ')
      const translation = translationSchema.safeParse(z.globalRegistry.get(zodSchema))
      if (!translation.success) return
      delete jsonSchema['en']
      delete jsonSchema['zh']
      jsonSchema.description = translation.data[language]
    },
  })
  delete described.$schema
  return described
}

/** Explains fields whose name does not. */
const translationSchema = z.object({ en: z.string(), zh: z.string() })

const ruleCheck = z.object({
  check: z.literal('custom'),
  params: z.object({ en: z.string(), zh: z.string() }),
})

/** Rules of custom checks, which JSON Schema cannot express. */
function rulesOf({ _zod }: z.core.$ZodType, language: Language): string[] {
  const checks = _zod.def.checks ?? []
  return checks.flatMap((check) => {
    const rule = ruleCheck.safeParse(check._zod.def)
    return rule.success ? [rule.data.params[language]] : []
  })
}
