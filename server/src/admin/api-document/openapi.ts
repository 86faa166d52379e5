import type { Access } from '@tollgate/contract'
import { describeEndpoints, type EndpointDescription, type JsonSchema } from './describe.ts'
import { bodyExample } from './examples.ts'
import { RESOURCE_TITLES } from './summaries.ts'

const ABOUT = `Everything the console does, for scripts.

Answers are an envelope: \`success\`, \`message\` and \`data\`. A request that was understood and refused
is HTTP 200 with \`success: false\` and a sentence in \`message\`, in English or Chinese as
\`Accept-Language\` asks. If an input field is at fault, \`field\` names it. Every path is served with and without a trailing slash.

Scripts send an access token of an account in \`Authorization\`, with or without \`Bearer\`; it is made on
the account page. Relay keys (\`sk-…\`) are for \`/v1\` and the billing queries, and open nothing else.
Browsers hold a session cookie; what they send to change something must come from a page of this server.

The billing queries are OpenAI's: neither their answers nor their errors have an envelope.`

const FAILURE = {
  type: 'object',
  properties: {
    success: { const: false },
    message: { type: 'string' },
    field: { type: 'string' },
    problem: { type: 'string' },
  },
  required: ['success', 'message'],
}

/** OpenAI's error format. */
const ERROR = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
      },
      required: ['message', 'type', 'param', 'code'],
    },
  },
  required: ['error'],
}

const KEY_REFUSALS: Readonly<Record<number, string>> = {
  401: 'The key is unknown, disabled, expired or used up.',
  403: 'The key may not be used from this address, or its owner is banned.',
  429: 'Too many requests; the header Retry-After tells how many seconds to wait.',
  500: 'A fault of the server; its log tells more.',
  503: 'The database does not answer, or the server is stopping.',
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The body is no JSON.',
  401: 'Nobody is logged in.',
  403: 'A browser sent this from the page of another site, or from another address than the console has.',
  413: 'The body is too large.',
  429: 'Too many requests; the header Retry-After tells how many seconds to wait.',
  500: 'A fault of the server; its log tells more.',
  503: 'The database does not answer.',
}

export function createOpenApi(version: string) {
  const endpoints = describeEndpoints()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {})
    path[endpoint.method.toLowerCase()] = operationOf(endpoint)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate', version, description: ABOUT },
    servers: [{ url: '/' }],
    tags: Object.entries(RESOURCE_TITLES).map(([name, { en }]) => ({ name, description: en })),
    paths,
    components: {
      schemas: { Failure: FAILURE, Error: ERROR },
      securitySchemes: {
        accessToken: { type: 'apiKey', in: 'header', name: 'Authorization' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        relayKey: { type: 'http', scheme: 'bearer' },
      },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          `Refused${status}`,
          refusal(description),
        ]),
      ),
    },
  }
}

const FAILURE_REFERENCE = { $ref: '#/components/schemas/Failure' }

const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: FAILURE_REFERENCE } },
})

const SECURITY: Readonly<Record<Access, Record<string, []>[]>> = {
  public: [],
  user: [{ accessToken: [] }, { session: [] }],
  admin: [{ accessToken: [] }, { session: [] }],
  root: [{ accessToken: [] }, { session: [] }],
  relay_key: [{ relayKey: [] }],
}

function operationOf(endpoint: EndpointDescription) {
  const { name, resource, access, prefixes, summary, body, sessionOnly } = endpoint
  return {
    operationId: name,
    tags: [resource],
    summary,
    'x-access': access,
    security: sessionOnly ? [{ session: [] }] : SECURITY[access],
    ...(endpoint.needsConfirmation ? { 'x-needs-confirmation': true } : {}),
    ...(prefixes.length === 0 ? {} : { servers: ['/', ...prefixes].map((url) => ({ url })) }),
    parameters: [
      ...parametersOf(endpoint.params, 'path'),
      ...parametersOf(endpoint.query, 'query'),
    ],
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, name) }),
    responses:
      access === 'relay_key'
        ? answersToKey(endpoint)
        : { 200: answerOf(endpoint), ...refusalsOf(endpoint) },
  }
}

function parametersOf(schema: JsonSchema | undefined, place: 'path' | 'query') {
  const { properties = {}, required = [] } = schema ?? {}
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: inner,
  }))
}

const requestBodyOf = (schema: JsonSchema, name: string) => ({
  required: true,
  content: { 'application/json': { schema, example: bodyExample(name, schema) } },
})

const jsonOf = (schema: object) => ({ 'application/json': { schema } })

function answersToKey({ data = {} }: EndpointDescription) {
  const content = jsonOf({ $ref: '#/components/schemas/Error' })
  const refusals = Object.entries(KEY_REFUSALS).map(
    ([status, description]) => [status, { description, content }] as const,
  )
  return { 200: { description: 'Done.', content: jsonOf(data) }, ...Object.fromEntries(refusals) }
}

function answerOf({ data, rows: line, hasData, extra, isPaged }: EndpointDescription) {
  if (line !== undefined) {
    return {
      description: 'The rows, each a line of JSON; or why they were refused.',
      content: {
        'application/x-ndjson': { schema: line },
        'application/json': { schema: FAILURE_REFERENCE },
      },
    }
  }
  const success = {
    type: 'object',
    properties: {
      success: { const: true },
      message: { type: 'string' },
      ...(data === undefined ? {} : { data }),
      ...extra?.properties,
    },
    required: ['success', 'message', ...(hasData ? ['data'] : []), ...(extra?.required ?? [])],
  }
  const rows = 'How many rows there are in all, or "10000+".'
  return {
    description: 'Done, or understood and refused.',
    ...(isPaged
      ? { headers: { 'X-Total-Count': { description: rows, schema: { type: 'string' } } } }
      : {}),
    content: { 'application/json': { schema: { oneOf: [success, FAILURE_REFERENCE] } } },
  }
}

function refusalsOf(endpoint: EndpointDescription) {
  const { access, body, malformedBodyStatus } = endpoint
  const statuses = [
    ...(malformedBodyStatus === 400 ? [400] : []),
    ...(access === 'public' ? [] : [401]),
    ...(endpoint.changesState ? [403] : []),
    ...(body === undefined ? [] : [413]),
    429,
    500,
    503,
  ]
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Refused${status}` }]),
  )
}
