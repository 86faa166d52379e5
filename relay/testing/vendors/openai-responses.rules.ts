import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import { areGiven, hasDuplicates, isGiven, isOutside, OPENAI_HEADERS } from './chat-requests.ts'
import { hasAny } from './json-schemas.ts'
import { reasons } from './openai-models.rules.ts'
import { openaiRefusal } from './openai.rules.ts'
import { type RuleRow, strictVendor } from './strict-vendor.ts'

const SDK = 'openai/openai-python 3.54.0'
const MEMBERS = new Set(
  (
    'model input instructions background client_metadata context_management conversation include max_output_tokens ' +
    'max_tool_calls metadata moderation parallel_tool_calls previous_response_id prompt ' +
    'prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier ' +
    'service_tier store stream stream_options temperature text tool_choice tools top_logprobs ' +
    'top_p truncation user'
  ).split(' '),
)
const CALLS = ['function_call', 'custom_tool_call']
const RESULTS = ['function_call_output', 'custom_tool_call_output']
const PREFIXES: Readonly<Record<string, string>> = {
  function_call: 'fc',
  custom_tool_call: 'ctc',
  message: 'msg',
  reasoning: 'rs',
}
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const RESULT_PARTS = /^input_(?:text|image|file)$/
const OF_ASSISTANT = ['output_text', 'refusal']

const itemsOf = (body: JsonRecord) => listOf(body['input']).filter(isRecord)
const typeOf = ({ type, role }: JsonRecord) => textOf(type) || (isGiven(role) ? 'message' : '')
const idsOf = (body: JsonRecord, types: readonly string[]) =>
  itemsOf(body).flatMap((item) => (types.includes(typeOf(item)) ? [item['call_id']] : []))
const hasItem = (body: JsonRecord, isFound: (item: JsonRecord) => boolean) =>
  itemsOf(body).some(isFound)
const functionsOf = (body: JsonRecord) =>
  listOf(body['tools'])
    .filter(isRecord)
    .flatMap((tool) => [tool, ...listOf(tool['type'] === 'namespace' && tool['tools'])])
    .filter(isRecord)
    .filter(({ type }) => type === 'function')

const HI = { role: 'user', content: 'hi' }
const CALL = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: '7 degrees' }
const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
const input = (...items: unknown[]) => ({ input: items })
const tool = (more: JsonRecord) => ({
  tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' }, ...more }],
})

const ROWS: readonly RuleRow[] = [
  {
    id: 'RSP-100',
    text: 'An unknown member at the top',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => Object.keys(body).some((name) => !MEMBERS.has(name)),
    code: 'unknown_parameter',
    example: { max_tokens: 100 },
  },
  {
    id: 'RSP-101',
    text: 'An input that is neither text nor a list of items with type or role',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) =>
      typeof body['input'] !== 'string' &&
      (listOf(body['input']).length === 0 || hasItem(body, (item) => typeOf(item) === '')),
    code: 'invalid_value',
    example: { input: [] },
  },
  {
    id: 'RSP-006',
    text: 'The id of an item does not begin as its type demands',
    sure: 'issue',
    source: 'continuedev/continue#11785',
    refuses: ({ body }) =>
      hasItem(body, (item) => {
        const prefix = PREFIXES[typeOf(item)]
        return prefix !== undefined && isGiven(item['id']) && !textOf(item['id']).startsWith(prefix)
      }),
    code: 'invalid_value',
    example: input(HI, { ...CALL, id: 'call_1' }, OUTPUT),
  },
  {
    id: 'RSP-007',
    text: 'A `call_id` with more than 64 characters',
    sure: 'issue',
    source: 'HKUDS/nanobot#1623, AnswerDotAI/fastllm#45',
    refuses: ({ body }) => hasItem(body, ({ call_id: id }) => textOf(id).length > 64),
    code: 'string_above_max_length',
    example: input(
      HI,
      { ...CALL, call_id: 'x'.repeat(65) },
      { ...OUTPUT, call_id: 'x'.repeat(65) },
    ),
  },
  {
    id: 'RSP-009',
    text: 'A part that does not belong to its role: `input_*` of the user, `output_text` of the model',
    sure: 'issue',
    source: 'OpenAI, reference of Responses',
    refuses: ({ body }) =>
      hasItem(
        body,
        ({ role, content }) =>
          listOf(content).some(
            (part) =>
              OF_ASSISTANT.includes(textOf(member(part, 'type'))) !== (role === 'assistant'),
          ) && isGiven(role),
      ),
    code: 'invalid_value',
    example: input({ role: 'user', content: [{ type: 'output_text', text: 'hi' }] }),
  },
  {
    id: 'RSP-021',
    text: 'The arguments of a `tool_search_call` are a text',
    sure: 'issue',
    source: 'farion1231/cc-switch#5062',
    refuses: ({ body }) =>
      hasItem(
        body,
        (item) => typeOf(item) === 'tool_search_call' && typeof item['arguments'] === 'string',
      ),
    code: 'invalid_type',
    example: input(HI, { type: 'tool_search_call', call_id: 'call_1', arguments: '{}' }),
  },
  {
    id: 'RSP-013',
    text: '`max_output_tokens` below 16',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => isOutside(body['max_output_tokens'], 16, Infinity),
    code: 'integer_below_min_value',
    example: { max_output_tokens: 1 },
  },
  {
    id: 'RSP-014',
    text: 'The name of a tool is not `^[a-zA-Z0-9_-]{1,64}$`, in tools and in calls',
    sure: 'issue',
    source: 'brekkylab/ailoy#109',
    refuses: ({ body }) =>
      [...functionsOf(body), ...itemsOf(body).filter((item) => CALLS.includes(typeOf(item)))].some(
        ({ name }) => !NAME.test(textOf(name)),
      ),
    code: 'invalid_value',
    example: tool({ name: 'mcp.weather' }),
  },
  {
    id: 'RSP-015',
    text: 'Parameters of a tool without the type object, or with oneOf, anyOf or allOf at the top',
    sure: 'issue',
    source: 'nspady/google-calendar-mcp#39',
    refuses: ({ body }) =>
      functionsOf(body).some(
        ({ parameters }) =>
          isGiven(parameters) &&
          (member(parameters, 'type') !== 'object' ||
            hasAny(parameters, 'oneOf', 'anyOf', 'allOf')),
      ),
    code: 'invalid_function_parameters',
    example: tool({ parameters: { type: 'object', anyOf: [{}] } }),
  },
  {
    id: 'RSP-016',
    text: '`user` above 64 characters, or `safety_identifier` above 128',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) =>
      textOf(body['user']).length > 64 || textOf(body['safety_identifier']).length > 128,
    code: 'string_above_max_length',
    example: { user: 'u'.repeat(65) },
  },
  {
    id: 'RSP-010',
    text: '`background` together with a stream that is not stored',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => body['background'] === true && body['store'] === false,
    code: 'invalid_value',
    example: { background: true, store: false },
  },
  {
    id: 'RSP-011',
    text: 'Reasoning models: a temperature other than 1, `top_p`, `top_logprobs` with an effort',
    sure: 'src',
    source: 'BerriAI/litellm 1.110, map of models',
    refuses: ({ model, body }) =>
      reasons(model) &&
      member(body['reasoning'], 'effort') !== 'none' &&
      isGiven(member(body['reasoning'], 'effort')) &&
      (areGiven(body, 'top_p', 'top_logprobs') ||
        (isGiven(body['temperature']) && body['temperature'] !== 1)),
    code: 'unsupported_parameter',
    with: { model: 'gpt-5-mini' },
    example: { reasoning: { effort: 'low' }, temperature: 0.2 },
  },
  {
    id: 'RSP-017',
    text: 'Models without reasoning: `reasoning.effort`',
    sure: 'src',
    source: 'OpenAI, reference of Responses',
    refuses: ({ model, body }) =>
      /^(?:gpt-4|chatgpt)/.test(model) && isGiven(member(body['reasoning'], 'effort')),
    code: 'unsupported_parameter',
    example: { reasoning: { effort: 'low' } },
  },
  {
    id: 'RSP-008',
    text: '`previous_response_id` together with `conversation`',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => isGiven(body['previous_response_id']) && isGiven(body['conversation']),
    code: 'invalid_parameter_combination',
    example: { previous_response_id: 'resp_1', conversation: 'conv_1' },
  },
  {
    id: 'RSP-001',
    text: 'A result without its call in the input',
    sure: 'issue',
    source: 'continuedev/continue#11785',
    refuses: ({ body }) =>
      !areGiven(body, 'previous_response_id', 'conversation') &&
      idsOf(body, RESULTS).some((id) => !idsOf(body, CALLS).includes(id)),
    example: input(HI, OUTPUT),
  },
  {
    id: 'RSP-002',
    text: 'A call without its result',
    sure: 'issue',
    source: 'lace-ai/gai#49',
    refuses: ({ body }) => idsOf(body, CALLS).some((id) => !idsOf(body, RESULTS).includes(id)),
    example: input(HI, CALL, HI),
  },
  {
    id: 'RSP-019',
    text: 'Arguments that are no text, or a part that a result cannot have',
    sure: 'src',
    source: `${SDK}; Wei-Shaw/sub2api#2913`,
    refuses: ({ body }) =>
      hasItem(
        body,
        (item) =>
          (typeOf(item) === 'function_call' && typeof item['arguments'] !== 'string') ||
          (RESULTS.includes(typeOf(item)) &&
            listOf(item['output']).some(
              (part) => !RESULT_PARTS.test(textOf(member(part, 'type'))),
            )),
      ),
    example: input(HI, { ...CALL, arguments: {} }, OUTPUT),
  },
  {
    id: 'RSP-020',
    text: 'A web search with an action other than search, open_page and find_in_page',
    sure: 'issue',
    source: 'openai/codex#7073',
    refuses: ({ body }) =>
      hasItem(
        body,
        (item) =>
          typeOf(item) === 'web_search_call' &&
          isRecord(item['action']) &&
          !/^(?:search|open_page|find_in_page)$/.test(textOf(item['action']['type'])),
      ),
    example: input(HI, { type: 'web_search_call', id: 'ws_1', action: { type: 'other' } }),
  },
  {
    id: 'RSP-018',
    text: 'Two calls with the same `call_id`',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => hasDuplicates(idsOf(body, CALLS)),
    example: input(HI, CALL, OUTPUT, CALL, OUTPUT),
  },
  {
    id: 'RSP-003',
    text: 'A reasoning item that the item it belonged to does not follow',
    sure: 'issue',
    source: 'openai/openai-agents-python#1611, run-llama/llama_index#20333',
    refuses: ({ body }) =>
      itemsOf(body).some((item, index, all) => {
        const next = all[index + 1]
        return typeOf(item) === 'reasoning' && (next === undefined || !isOutput(next))
      }),
    example: input(HI, THOUGHT, HI),
  },
  {
    id: 'RSP-005',
    text: 'A reasoning item without its encrypted content, where nothing is stored',
    sure: 'issue',
    source: 'earendil-works/pi#5059, run-llama/llama_index#20333',
    refuses: ({ body }) =>
      body['store'] === false &&
      hasItem(body, (item) => typeOf(item) === 'reasoning' && !isGiven(item['encrypted_content'])),
    status: 404,
    example: { store: false, ...input(HI, { ...THOUGHT, encrypted_content: null }, CALL, OUTPUT) },
  },
]

const isOutput = (item: JsonRecord) =>
  !RESULTS.includes(typeOf(item)) && !['user', 'system', 'developer'].includes(textOf(item['role']))

export const openaiResponses = strictVendor({
  name: 'openai-responses',
  title: 'OpenAI Responses',
  chatPath: /\/responses$/,
  documented: {
    model: 'gpt-4.1',
    path: '/v1/responses',
    headers: OPENAI_HEADERS,
    body: { model: 'gpt-4.1', instructions: 'Be brief.', input: 'hi' },
  },
  refusal: openaiRefusal,
  rules: ROWS,
})
