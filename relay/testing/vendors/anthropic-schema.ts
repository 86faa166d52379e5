import { z } from 'zod'

/* The members of a message at Anthropic (anthropics/anthropic-sdk-python 2.14). */

const free = z.looseObject({})
const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).optional(),
})
const cache = { cache_control: cacheControl.nullish() }
const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.strictObject({ type: z.literal('url'), url: z.string() }),
  z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  z.strictObject({ type: z.literal('text'), media_type: z.string(), data: z.string() }),
  z.strictObject({ type: z.literal('content'), content: z.union([z.string(), z.array(free)]) }),
])
const text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(free).nullish(),
  ...cache,
})
const image = z.strictObject({
  type: z.literal('image'),
  source,
  transformations: free.optional(),
  ...cache,
})
const document = z.strictObject({
  type: z.literal('document'),
  source,
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: free.nullish(),
  ...cache,
})
const searchResult = z.strictObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(text),
  citations: free.optional(),
  ...cache,
})
const reference = z.strictObject({
  type: z.literal('tool_reference'),
  tool_name: z.string(),
  ...cache,
})
const shown = z.discriminatedUnion('type', [text, image, document, searchResult, reference])

const OF_SERVER = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'advisor_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'container_upload',
  'compaction',
] as const

const block = z.discriminatedUnion('type', [
  text,
  image,
  document,
  searchResult,
  z.strictObject({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.unknown().optional(),
  }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.unknown().optional(),
    caller: free.optional(),
    ...cache,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(shown)]).optional(),
    is_error: z.boolean().optional(),
    ...cache,
  }),
  z.looseObject({ type: z.enum(OF_SERVER) }),
])

export const BLOCK_TYPES: readonly string[] = [
  'text image document search_result thinking redacted_thinking tool_use tool_result',
  ...OF_SERVER,
].flatMap((names) => names.split(' '))

const own = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string(),
  description: z.string().optional(),
  input_schema: free,
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  allowed_callers: z.array(z.string()).optional(),
  input_examples: z.array(free).optional(),
  ...cache,
})
/** Tools that Anthropic defines have a dated type. */
const defined = z.looseObject({ type: z.string().regex(/_\d{8}$|^mcp_toolset$/) })

export const anthropicMessage = z.strictObject({
  model: z.string(),
  max_tokens: z.int().nonnegative(),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([z.string(), z.array(block)]),
    }),
  ),
  system: z.union([z.string(), z.array(text)]).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  top_k: z.int().optional(),
  thinking: z
    .strictObject({
      type: z.enum(['enabled', 'disabled', 'adaptive', 'between_tools']),
      budget_tokens: z.int().optional(),
      display: z.enum(['omitted', 'summarized']).nullish(),
    })
    .optional(),
  tools: z.array(z.union([own, defined])).optional(),
  tool_choice: z
    .strictObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  container: z.union([z.string(), free]).nullish(),
  output_config: z
    .strictObject({
      effort: z.string().nullish(),
      format: free.nullish(),
      task_budget: free.nullish(),
    })
    .optional(),
  inference_geo: z.string().nullish(),
  cache_control: cacheControl.nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
  // These need a beta header.
  context_management: free.nullish(),
  mcp_servers: z.array(free).optional(),
  output_format: free.nullish(),
  fallbacks: z.array(free).optional(),
})
