import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  ANTHROPIC_BLOCK_ROWS,
  ANTHROPIC_PAIRING_ROWS,
  ANTHROPIC_THOUGHT_ROWS,
} from './anthropic-messages.rules.ts'
import {
  deepBlocks,
  HI,
  image,
  ofType,
  ownTools,
  says,
  systemBlocks,
  TEXT,
  tools,
  toolsOf,
  user,
} from './anthropic-requests.ts'
import { ANTHROPIC_FRAME_ROWS, ANTHROPIC_SETTING_ROWS } from './anthropic-settings.rules.ts'
import { hasDuplicates, isGiven, repeated } from './chat-requests.ts'
import {
  hasAny,
  hasMistypedEnum,
  isOfType,
  LOOKAROUND,
  propertiesOf,
  schemasIn,
  someSchema,
} from './json-schemas.ts'
import { type RuleRow, strictVendor } from './strict-vendor.ts'

const SDK = 'anthropics/anthropic-sdk-python 2.14'
const LITELLM = 'BerriAI/litellm 1.110'
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/
const FORMATS = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')
const STRICT_LACKS = (
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems ' +
  'uniqueItems contains prefixItems minProperties maxProperties patternProperties propertyNames ' +
  'dependentRequired if then else not oneOf'
).split(' ')
/** Images by the beginning of their bytes in base64. */
const MAGIC: Readonly<Record<string, RegExp>> = {
  'image/png': /^iVBORw0KGgo/,
  'image/jpeg': /^\/9j\//,
  'image/gif': /^R0lGOD/,
  'image/webp': /^UklGR/,
}
const PNG = 'iVBORw0KGgo='

const schemasOf = (body: JsonRecord) => ownTools(body).map((tool) => tool['input_schema'])

/** Schemas of strict tools and of the format of the answer. */
const strictSchemas = (body: JsonRecord) => [
  ...ownTools(body).flatMap((tool) => (tool['strict'] === true ? [tool['input_schema']] : [])),
  member(member(body['output_config'], 'format'), 'schema'),
]

const cached = (body: JsonRecord) =>
  [...toolsOf(body), ...systemBlocks(body), ...deepBlocks(body)]
    .map((block) => block['cache_control'])
    .filter(isRecord)

const base64Sources = (body: JsonRecord, type: string) =>
  ofType(deepBlocks(body), type)
    .map(({ source }) => source)
    .filter(isRecord)
    .filter((source) => source['type'] === 'base64')

function isMislabeled({ media_type: told, data }: JsonRecord): boolean {
  const found = Object.entries(MAGIC).find(([, magic]) => magic.test(textOf(data)))
  return found !== undefined && found[0] !== told
}

/** Keywords of a type that draft 2020-12 does not allow. */
const isMalformed = (schema: JsonRecord) =>
  (isGiven(schema['properties']) && !isRecord(schema['properties'])) ||
  ('required' in schema && !isTexts(schema['required'])) ||
  hasDuplicates(listOf(schema['required'])) ||
  Array.isArray(schema['items']) ||
  typeof schema['exclusiveMinimum'] === 'boolean' ||
  ('enum' in schema && !Array.isArray(schema['enum']))

const isTexts = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const property = (schema: unknown, more: JsonRecord = {}) =>
  tools({ input_schema: { type: 'object', properties: { a: schema }, ...more } })
const strict = (schema: JsonRecord) =>
  tools({ strict: true, input_schema: { additionalProperties: false, ...schema } })

/** JSON can express half a surrogate pair, which Anthropic's parser does not read. */
const hasHalf = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.isWellFormed()
    : typeof value === 'object' && value !== null && Object.values(value).some(hasHalf)

const HALF: RuleRow = {
  id: 'ANT-124',
  text: 'Half a surrogate pair: "no low surrogate in string"',
  sure: 'issue',
  source: 'anthropics/claude-code#5934, link-assistant/hive-mind#1324',
  refuses: ({ body }) => hasHalf(body),
  example: { system: '\ud83d' },
}

const TOOL_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-080',
    text: 'The name of a tool is not `^[a-zA-Z0-9_-]{1,128}$`',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      toolsOf(body).some(({ name }) => isGiven(name) && !TOOL_NAME.test(textOf(name))),
    example: tools({ name: 'mcp.weather' }),
  },
  {
    id: 'ANT-081',
    text: 'Two tools with the same name',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => hasDuplicates(ownTools(body).map(({ name }) => name)),
    example: tools({}, {}),
  },
  {
    id: 'ANT-082',
    text: 'A tool without `input_schema` of the type object',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => schemasOf(body).some((schema) => member(schema, 'type') !== 'object'),
    example: tools({ input_schema: { properties: {} } }),
  },
  {
    id: 'ANT-083',
    text: 'oneOf, anyOf or allOf at the top of a tool',
    sure: 'issue',
    source: 'anthropics/claude-code#27337, dearlordylord/huly-mcp#66',
    refuses: ({ body }) =>
      schemasOf(body).some((schema) => hasAny(schema, 'oneOf', 'anyOf', 'allOf')),
    example: tools({ input_schema: { type: 'object', anyOf: [{ required: ['a'] }] } }),
  },
  {
    id: 'ANT-084',
    text: 'A schema that is none by draft 2020-12',
    sure: 'issue',
    source: 'anthropics/claude-code#9605, anthropics/claude-code#63673',
    refuses: ({ body }) => someSchema(schemasOf(body), isMalformed),
    example: property({ type: 'object', required: null }),
  },
  {
    id: 'ANT-085',
    text: 'The name of a property is not `^[a-zA-Z0-9_.-]{1,64}$`',
    sure: 'issue',
    source: SDK,
    refuses: ({ body }) =>
      someSchema(schemasOf(body), (schema) =>
        Object.keys(propertiesOf(schema)).some((name) => !KEY.test(name)),
      ),
    example: tools({ input_schema: { type: 'object', properties: { 'a b': {} } } }),
  },
  {
    id: 'ANT-091',
    text: 'Strict schemas: an object without `additionalProperties: false`',
    sure: 'src',
    source: 'BerriAI/litellm#19444',
    refuses: ({ body }) =>
      someSchema(
        strictSchemas(body),
        (schema) => isOfType(schema, 'object') && schema['additionalProperties'] !== false,
      ),
    example: strict({ type: 'object', additionalProperties: true }),
  },
  {
    id: 'ANT-092',
    text: 'Strict schemas: bounds, patterns of names, conditions, `not`, `oneOf`',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      someSchema(
        strictSchemas(body),
        (schema) => hasAny(schema, ...STRICT_LACKS) || Number(schema['minItems']) > 1,
      ),
    example: strict({ type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }),
  },
  {
    id: 'ANT-093',
    text: 'Strict schemas: an unknown format of a string, or lookaround in a pattern',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      someSchema(
        strictSchemas(body),
        ({ format, pattern }) =>
          (isGiven(format) && !FORMATS.includes(textOf(format))) ||
          LOOKAROUND.test(textOf(pattern)),
      ),
    example: strict({ type: 'object', properties: { a: { type: 'string', format: 'color' } } }),
  },
  {
    id: 'ANT-094',
    text: 'Strict schemas: more than 20 tools, 24 optional properties or 16 unions',
    sure: 'issue',
    source: 'genkit-ai/genkit#5230, anthropics/anthropic-sdk-python#1185',
    refuses: ({ body }) => {
      const schemas = strictSchemas(body).flatMap(schemasIn)
      const optional = schemas.flatMap((schema) =>
        Object.keys(propertiesOf(schema)).filter(
          (name) => !listOf(schema['required']).includes(name),
        ),
      )
      const unions = schemas.filter(
        (schema) => hasAny(schema, 'anyOf') || Array.isArray(schema['type']),
      )
      const isTooMany = strictSchemas(body).filter(isRecord).length > 20
      return isTooMany || optional.length > 24 || unions.length > 16
    },
    example: strict({
      type: 'object',
      properties: Object.fromEntries(repeated(25, (index) => [`a${index}`, { type: 'string' }])),
    }),
  },
  {
    id: 'ANT-095',
    text: 'Strict schemas: an enum of another type than its schema',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) => someSchema(strictSchemas(body), hasMistypedEnum),
    example: strict({ type: 'object', properties: { a: { type: 'string', enum: [1] } } }),
  },
]

const MEDIA_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-100',
    text: 'More than 4 cache marks; one at the top counts',
    sure: 'issue',
    source: 'Wei-Shaw/sub2api#176',
    refuses: ({ body }) => cached(body).length + (isRecord(body['cache_control']) ? 1 : 0) > 4,
    example: says(user(...repeated(5, () => ({ ...TEXT, cache_control: { type: 'ephemeral' } })))),
  },
  {
    id: 'ANT-101',
    text: 'A cache mark of an hour after one of five minutes',
    sure: 'issue',
    source: 'cnighswonger/claude-code-cache-fix#44, headroomlabs-ai/headroom#2939',
    refuses: ({ body }) => {
      const hours = cached(body).map(({ ttl }) => ttl === '1h')
      return hours.some((isHour, index) => isHour && hours.slice(0, index).includes(false))
    },
    example: says(
      user(
        { ...TEXT, cache_control: { type: 'ephemeral' } },
        { ...TEXT, cache_control: { type: 'ephemeral', ttl: '1h' } },
      ),
    ),
  },
  {
    id: 'ANT-103',
    text: 'An image that is not JPEG, PNG, GIF or WebP',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) =>
      base64Sources(body, 'image').some(
        ({ media_type }) => !Object.hasOwn(MAGIC, textOf(media_type)),
      ),
    example: says(user(image(PNG, 'image/bmp'))),
  },
  {
    id: 'ANT-104',
    text: 'An image whose bytes are of another type than its `media_type`',
    sure: 'issue',
    source: 'BerriAI/litellm#24900',
    refuses: ({ body }) => base64Sources(body, 'image').some(isMislabeled),
    example: says(user(image(PNG, 'image/jpeg'))),
  },
  {
    id: 'ANT-105',
    text: 'An image or a document that is empty or not base64',
    sure: 'src',
    source: 'Claude Code 2.1.197, bundled reference',
    refuses: ({ body }) =>
      ['image', 'document'].some((type) =>
        base64Sources(body, type).some(({ data }) =>
          /[^A-Za-z0-9+/=]|=[^=]|^=*$/.test(textOf(data)),
        ),
      ),
    example: says(user(image('data:image/png;base64,iVBO'))),
  },
  {
    id: 'ANT-106',
    text: 'An image above 10 MB of base64',
    sure: 'issue',
    source: 'can1357/oh-my-pi#10633',
    refuses: ({ body }) =>
      base64Sources(body, 'image').some(({ data }) => textOf(data).length > 10 * 2 ** 20),
    example: says(user(image(PNG.slice(0, 11) + 'A'.repeat(11 * 2 ** 20)))),
  },
  {
    id: 'ANT-111',
    text: 'A document in base64 that is not a PDF',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) =>
      base64Sources(body, 'document').some(({ media_type }) => media_type !== 'application/pdf'),
    example: says(
      user({
        type: 'document',
        source: { type: 'base64', media_type: 'text/plain', data: 'SGk=' },
      }),
    ),
  },
]

export const anthropic = strictVendor({
  name: 'anthropic',
  title: 'Anthropic Messages',
  chatPath: /\/v1\/messages$/,
  documented: {
    model: 'claude-sonnet-4-5',
    path: '/v1/messages',
    headers: { 'x-api-key': 'sk-ant-1', 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sonnet-4-5', max_tokens: 4096, system: 'Be brief.', messages: [HI] },
  },
  refusal: ({ text: message, status = 400 }) => ({
    status,
    body: { type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_1' },
  }),
  rules: [
    HALF,
    ...ANTHROPIC_FRAME_ROWS,
    ...ANTHROPIC_BLOCK_ROWS,
    ...ANTHROPIC_SETTING_ROWS,
    ...TOOL_ROWS,
    ...MEDIA_ROWS,
    ...ANTHROPIC_THOUGHT_ROWS,
    ...ANTHROPIC_PAIRING_ROWS,
  ],
})
