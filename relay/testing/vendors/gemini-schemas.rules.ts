import { isRecord, type JsonRecord, listOf, textOf } from '../../src/bytes/json-value.ts'
import { isGiven, repeated } from './chat-requests.ts'
import { configOf, declarationsOf, declare } from './gemini-requests.ts'
import { field, SCHEMA_WORDS } from './gemini-schema.ts'
import { depthOf, propertiesOf, schemasIn } from './json-schemas.ts'
import type { RuleRow } from './strict-vendor.ts'

const GENAI = 'googleapis/python-genai 3.6'
const LITELLM = 'BerriAI/litellm 1.110'
const REFERENCE = 'ai.google.dev, reference of generateContent'

/** Schemas of Google's own type, and all within. */
const ownSchemas = (body: JsonRecord) =>
  [
    ...declarationsOf(body).map(({ parameters }) => parameters),
    field(configOf(body), 'responseSchema'),
  ].flatMap(schemasIn)

const typeIs = ({ type }: JsonRecord, name: string) => textOf(type).toUpperCase() === name
const schemaOf = (schema: unknown) =>
  declare({ parameters: { type: 'OBJECT', properties: { a: schema } } })

/** Google's rules for schemas of its own type. */
export const GEMINI_SCHEMA_ROWS: readonly RuleRow[] = [
  {
    id: 'GEM-030',
    text: 'A word that the Schema type lacks, such as `$ref`, `const`, `oneOf`, `$schema`',
    sure: 'src',
    source: GENAI,
    refuses: ({ body }) =>
      ownSchemas(body).some((schema) =>
        Object.keys(schema).some((word) => !SCHEMA_WORDS.has(word)),
      ),
    example: schemaOf({ const: 'x' }),
  },
  {
    id: 'GEM-039',
    text: 'A list of types in the Schema type',
    sure: 'issue',
    source: 'google-gemini/gemini-cli#5923',
    refuses: ({ body }) => ownSchemas(body).some(({ type }) => Array.isArray(type)),
    example: schemaOf({ type: ['string', 'null'] }),
  },
  {
    id: 'GEM-032',
    text: 'A list without `items` in the Schema type',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      ownSchemas(body).some((schema) => typeIs(schema, 'ARRAY') && !isRecord(schema['items'])),
    example: schemaOf({ type: 'ARRAY' }),
  },
  {
    id: 'GEM-033',
    text: 'An object with empty `properties` in the Schema type',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      ownSchemas(body).some(
        (schema) =>
          isRecord(schema['properties']) && Object.keys(schema['properties']).length === 0,
      ),
    example: declare({ parameters: { type: 'OBJECT', properties: {} } }),
  },
  {
    id: 'GEM-034',
    text: 'An enum of another type than text, or with an empty text, in the Schema type',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      ownSchemas(body).some((schema) => {
        const { type, enum: values } = schema
        if (!Array.isArray(values)) return false
        return (
          (isGiven(type) && !typeIs(schema, 'STRING') && !typeIs(schema, 'INTEGER')) ||
          values.some((value) => typeof value !== 'string' || value === '')
        )
      }),
    example: schemaOf({ type: 'NUMBER', enum: ['1'] }),
  },
  {
    id: 'GEM-035',
    text: '`required` names a property that is absent in the Schema type',
    sure: 'issue',
    source: REFERENCE,
    refuses: ({ body }) =>
      ownSchemas(body).some((schema) =>
        listOf(schema['required']).some(
          (name) => !Object.hasOwn(propertiesOf(schema), textOf(name)),
        ),
      ),
    example: schemaOf({ type: 'OBJECT', properties: { b: {} }, required: ['c'] }),
  },
  {
    id: 'GEM-036',
    text: 'A format of a text outside enum and date-time in the Schema type; newer models take more',
    sure: 'guess',
    source: LITELLM,
    refuses: ({ body }) =>
      ownSchemas(body).some(
        (schema) =>
          typeIs(schema, 'STRING') &&
          isGiven(schema['format']) &&
          !['enum', 'date-time'].includes(textOf(schema['format'])),
      ),
    example: schemaOf({ type: 'STRING', format: 'uri' }),
  },
  {
    id: 'GEM-037',
    text: 'Parameters of a function that are not an object',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      declarationsOf(body).some(
        ({ parameters }) => isRecord(parameters) && !typeIs(parameters, 'OBJECT'),
      ),
    example: declare({ parameters: { type: 'STRING' } }),
  },
  {
    id: 'GEM-038',
    text: 'More than 24 levels; the limit is not published',
    sure: 'guess',
    source: 'google-gemini/gemini-cli#5923, googleapis/js-genai#882',
    refuses: ({ body }) => ownSchemas(body).some((schema) => depthOf(schema) > 24),
    example: schemaOf(
      repeated(25, () => 0).reduce<JsonRecord>((items) => ({ type: 'ARRAY', items }), {
        type: 'STRING',
      }),
    ),
  },
]
