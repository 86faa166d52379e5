import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import { hasDuplicates, isGiven, isOutside, repeated } from './chat-requests.ts'
import { GEMINI_MODEL_ROWS } from './gemini-models.rules.ts'
import {
  CALL,
  configOf,
  contentsOf,
  declarationsOf,
  declare,
  HI,
  partsOf,
  RESULT,
  says,
  setting,
  user,
} from './gemini-requests.ts'
import { DATA_MEMBERS, field, geminiRequest, records } from './gemini-schema.ts'
import { GEMINI_SCHEMA_ROWS } from './gemini-schemas.rules.ts'
import { hasUnknownMember, hasWrongType, type RuleRow, strictVendor } from './strict-vendor.ts'

const GENAI = 'googleapis/python-genai 3.6'
const LITELLM = 'BerriAI/litellm 1.110'
const REFERENCE = 'ai.google.dev, reference of generateContent'
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/
const BUILT_IN = [
  'googleSearch',
  'codeExecution',
  'urlContext',
  'googleMaps',
  'googleSearchRetrieval',
]

const countOf = (content: JsonRecord | undefined, name: string) =>
  records(content?.['parts']).filter((part) => isGiven(field(part, name))).length

const someTurn = (
  body: JsonRecord,
  isWrong: (content: JsonRecord, before?: JsonRecord, after?: JsonRecord) => boolean,
) => contentsOf(body).some((content, at, all) => isWrong(content, all[at - 1], all[at + 1]))

const FORM_ROWS: readonly RuleRow[] = [
  {
    id: 'GEM-001',
    text: 'An unknown member anywhere; both spellings are known',
    sure: 'src',
    source: GENAI,
    refuses: ({ body }) => hasUnknownMember(geminiRequest, body),
    example: { max_tokens: 100 },
  },
  {
    id: 'GEM-003',
    text: 'No `contents`',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) => contentsOf(body).length === 0,
    example: { contents: [] },
  },
  {
    id: 'GEM-002',
    text: 'A member of a wrong type',
    sure: 'src',
    source: GENAI,
    refuses: ({ body }) => hasWrongType(geminiRequest, body),
    example: says(user({ text: ['hi'] })),
  },
  {
    id: 'GEM-004',
    text: 'A role other than user, model and function',
    sure: 'src',
    source: REFERENCE,
    refuses: ({ body }) =>
      contentsOf(body).some(
        ({ role }) =>
          !['user', 'model', 'function'].includes(textOf(role)) &&
          (isGiven(role) || contentsOf(body).length > 1),
      ),
    example: says({ role: 'assistant', parts: [{ text: 'hi' }] }),
  },
  {
    id: 'GEM-005',
    text: 'A content without parts, or a part without data',
    sure: 'issue',
    source: REFERENCE,
    refuses: ({ body }) =>
      contentsOf(body).some(({ parts }) => records(parts).length === 0) ||
      partsOf(body).some((part) => DATA_MEMBERS.every((name) => !isGiven(field(part, name)))),
    example: says(user()),
  },
  {
    id: 'GEM-006',
    text: 'A part with two kinds of data',
    sure: 'issue',
    source: REFERENCE,
    refuses: ({ body }) =>
      partsOf(body).some(
        (part) => DATA_MEMBERS.filter((name) => isGiven(field(part, name))).length > 1,
      ),
    example: says(user({ text: 'hi', inlineData: { mimeType: 'image/png', data: 'iVBO' } })),
  },
  {
    id: 'GEM-013',
    text: 'A response of a function that is not an object, or without a name',
    sure: 'src',
    source: GENAI,
    refuses: ({ body }) =>
      partsOf(body)
        .map((part) => field(part, 'functionResponse'))
        .filter(isRecord)
        .some(({ name, response }) => textOf(name) === '' || !isRecord(response)),
    example: says(HI, CALL, user({ functionResponse: { name: 'weather', response: 'fair' } })),
  },
  {
    id: 'GEM-020',
    text: 'The name of a function is not `^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`',
    sure: 'issue',
    source: 'google-gemini/gemini-cli#6704',
    refuses: ({ body }) => declarationsOf(body).some(({ name }) => !NAME.test(textOf(name))),
    example: declare({ name: '1st' }),
  },
  {
    id: 'GEM-021',
    text: 'Two functions with the same name',
    sure: 'issue',
    source: REFERENCE,
    refuses: ({ body }) => hasDuplicates(declarationsOf(body).map(({ name }) => name)),
    example: declare({}, {}),
  },
  {
    id: 'GEM-023',
    text: 'Both kinds of schemas, of parameters or of the answer',
    sure: 'src',
    source: GENAI,
    refuses: ({ body }) =>
      declarationsOf(body).some(
        (own) => isGiven(own['parameters']) && isGiven(field(own, 'parametersJsonSchema')),
      ) ||
      (isGiven(field(configOf(body), 'responseSchema')) &&
        isGiven(field(configOf(body), 'responseJsonSchema'))),
    example: declare({ parameters: { type: 'OBJECT' }, parametersJsonSchema: { type: 'object' } }),
  },
  {
    id: 'GEM-024',
    text: 'More than 512 functions; the limit is not published',
    sure: 'guess',
    source: 'bethington/ghidra-mcp#440',
    refuses: ({ body }) => declarationsOf(body).length > 512,
    example: declare(...repeated(513, (index) => ({ name: `tool_${index}` }))),
  },
]

const RELATION_ROWS: readonly RuleRow[] = [
  {
    id: 'GEM-010',
    text: 'A call that does not follow the user or a response of a function',
    sure: 'issue',
    source: 'google-gemini/gemini-cli#26486',
    refuses: ({ body }) =>
      someTurn(
        body,
        (content, before) =>
          countOf(content, 'functionCall') > 0 &&
          (before === undefined || before['role'] === 'model'),
      ),
    example: says(CALL, RESULT),
  },
  {
    id: 'GEM-011',
    text: 'Another number of responses than of calls in the turn before',
    sure: 'issue',
    source: 'google-gemini/gemini-cli#3814, google-gemini/gemini-cli#17208',
    refuses: ({ body }) =>
      someTurn(body, (content, _before, after) => {
        const calls = countOf(content, 'functionCall')
        return calls > 0 && after !== undefined && countOf(after, 'functionResponse') !== calls
      }),
    example: says(HI, CALL, HI),
  },
  {
    id: 'GEM-012',
    text: 'A response of a function that does not directly follow its call',
    sure: 'issue',
    source: REFERENCE,
    refuses: ({ body }) =>
      someTurn(
        body,
        (content, before) =>
          countOf(content, 'functionResponse') > 0 && countOf(before, 'functionCall') === 0,
      ),
    example: says(HI, RESULT),
  },
  {
    id: 'GEM-054',
    text: '`allowedFunctionNames` with a mode other than ANY and VALIDATED, or with unknown names',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => {
      const config = field(field(body, 'toolConfig'), 'functionCallingConfig')
      const names = listOf(field(config, 'allowedFunctionNames'))
      const known = declarationsOf(body).map(({ name }) => name)
      return (
        names.length > 0 &&
        (!['ANY', 'VALIDATED'].includes(textOf(member(config, 'mode'))) ||
          names.some((name) => !known.includes(name)))
      )
    },
    example: {
      ...declare({}),
      toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['weather'] } },
    },
  },
  {
    id: 'GEM-060',
    text: 'More than 5 stop sequences',
    sure: 'doc',
    source: REFERENCE,
    refuses: ({ body }) => listOf(field(configOf(body), 'stopSequences')).length > 5,
    example: setting({ stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] }),
  },
  {
    id: 'GEM-061',
    text: 'A number beyond its bounds: temperature 0 to 2, `topP` 0 to 1, 1 to 8 candidates',
    sure: 'doc',
    source: REFERENCE,
    refuses: ({ body }) =>
      isOutside(field(configOf(body), 'temperature'), 0, 2) ||
      isOutside(field(configOf(body), 'topP'), 0, 1) ||
      isOutside(field(configOf(body), 'topK'), 1, Infinity) ||
      isOutside(field(configOf(body), 'candidateCount'), 1, 8) ||
      isOutside(field(configOf(body), 'logprobs'), 0, 20),
    example: setting({ temperature: 2.5 }),
  },
  {
    id: 'GEM-063',
    text: 'Instruction, tools or tool choice together with `cachedContent`',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      isGiven(field(body, 'cachedContent')) &&
      ['systemInstruction', 'tools', 'toolConfig'].some((name) => isGiven(field(body, name))),
    example: { cachedContent: 'cachedContents/1', ...declare({}) },
  },
  {
    id: 'GEM-053',
    text: 'Google Maps together with JSON output',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      isGiven(field(configOf(body), 'responseMimeType')) &&
      records(body['tools']).some((tool) => isGiven(field(tool, 'googleMaps'))),
    example: {
      tools: [{ googleMaps: {} }],
      ...setting({ responseMimeType: 'application/json' }),
    },
  },
  {
    id: 'GEM-050',
    text: '2.x: functions together with tools of Google; 3.x needs `includeServerSideToolInvocations`',
    sure: 'issue',
    source: 'googleapis/go-genai#323, cloudwego/eino-ext#761',
    refuses: ({ model: name, body }) =>
      declarationsOf(body).length > 0 &&
      records(body['tools']).some((tool) => BUILT_IN.some((own) => isGiven(field(tool, own)))) &&
      (!/gemini-[3-9]/.test(name) ||
        field(field(body, 'toolConfig'), 'includeServerSideToolInvocations') !== true),
    example: { tools: [{ googleSearch: {} }, ...declare({}).tools] },
  },
]

export const gemini = strictVendor({
  name: 'gemini',
  title: 'Google Gemini',
  chatPath: /:(?:generateContent|streamGenerateContent)(?:\?|$)/,
  documented: {
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    headers: { 'x-goog-api-key': 'AIza1' },
    body: { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents: [HI] },
  },
  modelOf: ({ path }) => /\/models\/([^:/]+):/.exec(path)?.[1] ?? '',
  refusal: ({ text: message, status = 400 }) => ({
    status,
    body: { error: { code: status, message, status: 'INVALID_ARGUMENT' } },
  }),
  rules: [...FORM_ROWS, ...GEMINI_SCHEMA_ROWS, ...GEMINI_MODEL_ROWS, ...RELATION_ROWS],
})
