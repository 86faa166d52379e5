import { z } from 'zod'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  callIds,
  callOf,
  calling,
  callsOf,
  documentedChat,
  functionsOf,
  hasCalls,
  hasOtherResultCount,
  HI,
  inMessages,
  isAssistant,
  isEmptyContent,
  isGiven,
  isOutside,
  loop,
  messagesOf,
  ONE_TOOL,
  parametersOf,
  partsOf,
  result,
  roleOf,
  says,
  SYSTEM,
  TEXT,
  tools,
} from './chat-requests.ts'
import { hasAny, someSchema } from './json-schemas.ts'
import { hasUnknownMember, hasWrongType, type RuleRow, strictVendor } from './strict-vendor.ts'

const REFERENCE = 'docs.mistral.ai, reference of chat'
const ID = /^[a-zA-Z0-9]{9}$/
const free = z.looseObject({})
const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const part = z.discriminatedUnion('type', [
  text,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.union([
      z.string(),
      z.strictObject({ url: z.string(), detail: z.string().nullish() }),
    ]),
  }),
  z.strictObject({
    type: z.literal('document_url'),
    document_url: z.string(),
    document_name: z.string().nullish(),
  }),
  z.strictObject({ type: z.literal('reference'), reference_ids: z.array(z.unknown()) }),
  // Its client knows other members than OpenAI, whose recordings and files are not refused here.
  z.looseObject({ type: z.enum(['file', 'input_audio']) }),
  z.strictObject({
    type: z.literal('thinking'),
    thinking: z.array(free),
    signature: z.string().nullish(),
    closed: z.boolean().optional(),
  }),
])
const content = z.union([z.string(), z.array(part)])
const call = z.strictObject({
  id: z.string().optional(),
  type: z.literal('function').optional(),
  function: z.strictObject({ name: z.string(), arguments: z.union([z.string(), free]) }),
  index: z.int().optional(),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.union([z.string(), z.array(text)]) }),
  z.strictObject({ role: z.literal('user'), content: content.nullable() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(call).nullish(),
    prefix: z.boolean().optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    content: content.nullable(),
    tool_call_id: z.string().nullish(),
    name: z.string().nullish(),
  }),
])
const chat = z.strictObject({
  model: z.string(),
  messages: z.array(message),
  temperature: z.number().nullish(),
  top_p: z.number().optional(),
  max_tokens: z.int().nullish(),
  stream: z.boolean().optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  random_seed: z.int().nullish(),
  metadata: free.nullish(),
  response_format: z
    .strictObject({
      type: z.enum(['text', 'json_object', 'json_schema']).optional(),
      json_schema: z
        .strictObject({
          name: z.string(),
          description: z.string().nullish(),
          schema: free,
          strict: z.boolean().optional(),
        })
        .nullish(),
    })
    .optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function').optional(),
        function: z.strictObject({
          name: z.string(),
          description: z.string().optional(),
          strict: z.boolean().optional(),
          parameters: free,
        }),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'any', 'required']),
      z.strictObject({
        type: z.literal('function').optional(),
        function: z.strictObject({ name: z.string() }),
      }),
    ])
    .optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  n: z.int().nullish(),
  prediction: free.optional(),
  parallel_tool_calls: z.boolean().optional(),
  prompt_mode: z.string().nullish(),
  reasoning_effort: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  service_tier: z.string().nullish(),
  safe_prompt: z.boolean().optional(),
  guardrails: z.array(free).nullish(),
})

const nested = chat.pick({ tools: true, tool_choice: true, response_format: true }).loose()

/** Large 4, Small 4, Medium 3.5 and models of others (anomalyco/models.dev#1986). */
const TAKES_EFFORT =
  /^mistral-(?:large-4|(?:small|medium)(?:-latest|-26|-3|$))|^devstral-(?:[a-z]+-)?latest|^zai-/
const hasEffort = ({ reasoning_effort: effort }: JsonRecord) => isGiven(effort)

/** A list of messages, each with the role that is wrong after another. */
const WRONG_ORDERS: readonly (readonly [string, string])[] = [
  ['user', 'tool'],
  ['tool', 'user'],
  ['tool', 'system'],
  ['system', 'user'],
  ['system', 'assistant'],
  ['system', 'tool'],
]

const ROWS: readonly RuleRow[] = [
  {
    id: 'MIS-001',
    text: 'An unknown member at the top, such as `max_completion_tokens`, `user`, `stream_options`',
    sure: 'issue',
    source: 'editor-code-assistant/eca#231',
    refuses: ({ body }) => Object.keys(body).some((name) => !Object.hasOwn(chat.shape, name)),
    status: 422,
    example: { user: 'customer-7' },
  },
  {
    id: 'MIS-015',
    text: 'An unknown member of a part, such as `cache_control`',
    sure: 'src',
    source: '@mistralai/mistralai 2.7',
    refuses: ({ body }) =>
      messagesOf(body)
        .flatMap(partsOf)
        .some((own) => hasUnknownMember(part, own)),
    status: 422,
    example: says({ role: 'user', content: [{ ...TEXT, cache_control: { type: 'ephemeral' } }] }),
  },
  {
    id: 'MIS-016',
    text: 'An unknown member of a call, such as `name` or `extra_content`',
    sure: 'issue',
    source: 'zeroclaw-labs/zeroclaw#3572',
    refuses: ({ body }) =>
      messagesOf(body)
        .flatMap(callsOf)
        .some((own) => hasUnknownMember(call, own)),
    status: 422,
    example: {
      ...ONE_TOOL,
      ...says(
        HI,
        calling('abcdefghi', { tool_calls: [{ ...callOf('abcdefghi'), name: null }] }),
        result('abcdefghi'),
      ),
    },
  },
  {
    id: 'MIS-002',
    text: 'An unknown member of a message, such as `reasoning_content`, `refusal`, `name`',
    sure: 'issue',
    source: 'charmbracelet/crush#1590, BerriAI/litellm#30835',
    refuses: ({ body }) => messagesOf(body).some((own) => hasUnknownMember(message, own)),
    status: 422,
    example: says(HI, { role: 'assistant', content: 'hi', reasoning_content: 'Hm.' }, HI),
  },
  {
    id: 'MIS-003',
    text: 'An unknown member of a tool, of the tool choice or of the response format',
    sure: 'src',
    source: 'BerriAI/litellm 1.110',
    refuses: ({ body }) => hasUnknownMember(nested, body),
    status: 422,
    example: tools({ cache_control: { type: 'ephemeral' } }),
  },
  {
    id: 'MIS-014',
    text: 'A role other than system, user, assistant and tool',
    sure: 'doc',
    source: REFERENCE,
    refuses: ({ body }) =>
      inMessages(body, (own) => !['system', 'user', 'assistant', 'tool'].includes(roleOf(own))),
    status: 422,
    example: says({ role: 'developer', content: 'Be brief.' }, HI),
  },
  {
    id: 'MIS-010',
    text: 'A member of a wrong type, or a tool choice with an unknown word or name',
    sure: 'src',
    source: 'BerriAI/litellm 1.110',
    refuses: ({ body }) => {
      const name = member(member(body['tool_choice'], 'function'), 'name')
      const isUnknown = isGiven(name) && !functionsOf(body).some((own) => own['name'] === name)
      return isUnknown || hasWrongType(chat, body)
    },
    status: 422,
    example: { ...ONE_TOOL, tool_choice: 'validated' },
  },
  {
    id: 'MIS-012',
    text: 'A temperature outside 0 to 1.5',
    sure: 'doc',
    source: REFERENCE,
    refuses: ({ body }) => isOutside(body['temperature'], 0, 1.5),
    status: 422,
    example: { temperature: 1.8 },
  },
  {
    id: 'MIS-017',
    text: 'An effort other than none and high; any effort of a model that does not adjust it',
    sure: 'issue',
    source: 'architects-toolkit/SmartHopper#647, withceleste/celeste-python#311',
    refuses: ({ model, body }) =>
      hasEffort(body) &&
      !(TAKES_EFFORT.test(model) && /^(?:none|high|max)$/.test(textOf(body['reasoning_effort']))),
    code: '3051',
    example: { reasoning_effort: 'none' },
  },
  {
    id: 'MIS-011',
    text: '`$id` or `$schema` in the parameters of a tool',
    sure: 'src',
    source: 'BerriAI/litellm 1.110',
    refuses: ({ body }) =>
      someSchema(parametersOf(body), (schema) => hasAny(schema, '$id', '$schema')),
    example: tools({ parameters: { $schema: 'https://json-schema.org', type: 'object' } }),
  },
  {
    id: 'MIS-005',
    text: 'The id of a call is not `^[a-zA-Z0-9]{9}$`',
    sure: 'issue',
    source: 'nearai/ironclaw#1241',
    refuses: ({ body }) => callIds(body).some((id) => !ID.test(textOf(id))),
    code: '3280',
    example: loop(),
  },
  {
    id: 'MIS-009',
    text: 'A message of the assistant with neither content nor calls',
    sure: 'issue',
    source: 'solbrowse/extension#16',
    refuses: ({ body }) =>
      inMessages(body, (own) => isAssistant(own) && isEmptyContent(own) && !hasCalls(own)),
    example: says(HI, { role: 'assistant', content: '' }, HI),
  },
  {
    id: 'MIS-008',
    text: 'Another number of results than of calls',
    sure: 'issue',
    source: 'mistralai/client-python',
    refuses: ({ body }) => hasOtherResultCount(body),
    example: {
      ...ONE_TOOL,
      ...says(
        HI,
        calling('abcdefghi', { tool_calls: [callOf('abcdefghi'), callOf('bbcdefghi')] }),
        result('abcdefghi'),
      ),
    },
  },
  {
    id: 'MIS-006',
    text: 'The user directly after a result; a result after the user; system after others',
    sure: 'issue',
    source: 'onyx-dot-app/onyx#6458, NousResearch/hermes-agent#84944',
    refuses: ({ body }) =>
      messagesOf(body).some((own, index, all) =>
        WRONG_ORDERS.some(
          ([role, before]) => own['role'] === role && all[index - 1]?.['role'] === before,
        ),
      ),
    code: '3230',
    example: { ...ONE_TOOL, ...says(HI, calling('abcdefghi'), result('abcdefghi'), HI) },
  },
  {
    id: 'MIS-007',
    text: 'A last message of the assistant without `prefix`, or of the system',
    sure: 'issue',
    source: '0xPlaygrounds/rig#1130',
    refuses: ({ body }) => {
      const last = messagesOf(body).at(-1)
      return (
        last?.['role'] === 'system' || (last?.['role'] === 'assistant' && last['prefix'] !== true)
      )
    },
    example: says(SYSTEM, HI, { role: 'assistant', content: 'It is' }),
  },
  {
    id: 'MIS-013',
    text: 'More than 8 images',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) =>
      messagesOf(body)
        .flatMap((own) => listOf(own['content']))
        .filter((part) => isRecord(part) && part['type'] === 'image_url').length > 8,
    example: says({ role: 'user', content: Array(9).fill({ type: 'image_url', image_url: 'x' }) }),
  },
]

export const mistral = strictVendor({
  name: 'mistral',
  title: 'Mistral',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('mistral-large-latest'),
  refusal: ({ text: message, status = 400, code = null }) => ({
    status,
    body:
      status === 422
        ? { detail: [{ type: 'extra_forbidden', loc: ['body'], msg: message, input: null }] }
        : { object: 'error', message, type: 'invalid_request_error', param: null, code },
  }),
  rules: ROWS,
})
