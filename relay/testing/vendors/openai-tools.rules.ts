import { isRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  callIds,
  functionsOf,
  hasDuplicates,
  hasTools,
  isGiven,
  loop,
  ONE_TOOL,
  parametersOf,
  repeated,
  toolNames,
  tools,
} from './chat-requests.ts'
import { hasAny, isOfType, someSchema } from './json-schemas.ts'
import type { RuleRow } from './strict-vendor.ts'

const SPEC = 'openai/openai-openapi 2.3.0'
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const ID_MAX = 64

/** OpenAI's rules for tools, and for names and ids of calls. */
export const OPENAI_TOOL_ROWS: readonly RuleRow[] = [
  {
    id: 'OAI-010',
    text: `The id of a call is longer than ${ID_MAX} characters`,
    sure: 'issue',
    source: 'openclaw/openclaw#875, agno-agi/agno#5382',
    refuses: ({ body }) => callIds(body).some((id) => textOf(id).length > ID_MAX),
    code: 'string_above_max_length',
    example: loop({}, {}, 'x'.repeat(65)),
  },
  {
    id: 'OAI-011',
    text: 'The name of a tool is not `^[a-zA-Z0-9_-]{1,64}$`',
    sure: 'issue',
    source: 'brekkylab/ailoy#109, home-assistant/core#121325',
    refuses: ({ body }) => functionsOf(body).some(({ name }) => !TOOL_NAME.test(textOf(name))),
    code: 'invalid_value',
    example: tools({ name: 'mcp.weather' }),
  },
  {
    id: 'OAI-012',
    text: 'The same for the names of calls in the history and of a forced tool',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) => toolNames(body).some((name) => !TOOL_NAME.test(textOf(name))),
    code: 'invalid_value',
    example: loop({}, { name: 'mcp.weather' }),
  },
  {
    id: 'OAI-013',
    text: 'An empty list of `tools`',
    sure: 'issue',
    source: SPEC,
    refuses: ({ body: { tools: list } }) => Array.isArray(list) && list.length === 0,
    code: 'empty_array',
    example: { tools: [] },
  },
  {
    id: 'OAI-014',
    text: 'More than 128 tools',
    sure: 'issue',
    source: 'zed-industries/zed#42393, vishalmysore/Tools4AI#16',
    refuses: ({ body }) =>
      [body['tools'], body['functions']].some((list) => listOf(list).length > 128),
    code: 'array_above_max_length',
    example: tools(...repeated(129, (index) => ({ name: `tool_${index}` }))),
  },
  {
    id: 'OAI-015',
    text: 'Two tools with the same name',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => hasDuplicates(functionsOf(body).map(({ name }) => name)),
    code: 'invalid_value',
    example: tools({}, {}),
  },
  {
    id: 'OAI-016',
    text: 'A description of a tool with more than 1024 characters; newer models take more',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) =>
      functionsOf(body).some(({ description }) => textOf(description).length > 1024),
    code: 'string_above_max_length',
    example: tools({ description: 'x'.repeat(1025) }),
  },
  {
    id: 'OAI-017',
    text: 'Parameters of a tool without the type object',
    sure: 'issue',
    source: 'chatanywhere/GPT_API_free#403',
    refuses: ({ body }) =>
      parametersOf(body).some((schema) => !isRecord(schema) || schema['type'] !== 'object'),
    code: 'invalid_function_parameters',
    example: tools({ parameters: { type: null } }),
  },
  {
    id: 'OAI-018',
    text: 'A list without `items` in the parameters of a tool',
    sure: 'issue',
    source: 'PrefectHQ/fastmcp#2464',
    refuses: ({ body }) =>
      someSchema(
        parametersOf(body),
        (schema) => isOfType(schema, 'array') && !hasAny(schema, 'items'),
      ),
    code: 'invalid_function_parameters',
    example: tools({ parameters: { type: 'object', properties: { a: { type: 'array' } } } }),
  },
  {
    id: 'OAI-019',
    text: 'oneOf, anyOf, allOf, enum, not or const at the top of the parameters of a tool',
    sure: 'issue',
    source: 'nspady/google-calendar-mcp#39, langchain-ai/langchainjs#9804',
    refuses: ({ body }) =>
      parametersOf(body).some((schema) =>
        hasAny(schema, 'oneOf', 'anyOf', 'allOf', 'enum', 'not', 'const'),
      ),
    code: 'invalid_function_parameters',
    example: tools({ parameters: { type: 'object', anyOf: [{ required: ['a'] }] } }),
  },
  {
    id: 'OAI-020',
    text: '`tool_choice` (other than none) or `parallel_tool_calls` without tools',
    sure: 'issue',
    source: SPEC,
    refuses: ({ body }) =>
      !hasTools(body) &&
      ((isGiven(body['tool_choice']) && body['tool_choice'] !== 'none') ||
        isGiven(body['parallel_tool_calls'])),
    code: 'invalid_value',
    example: { parallel_tool_calls: true },
  },
  {
    id: 'OAI-021',
    text: '`tool_choice` names a tool that is not among the tools',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => {
      const name = member(member(body['tool_choice'], 'function'), 'name')
      return isGiven(name) && !functionsOf(body).some((tool) => tool['name'] === name)
    },
    code: 'invalid_value',
    example: { ...ONE_TOOL, tool_choice: { type: 'function', function: { name: 'time' } } },
  },
]
