import { z } from 'zod'

/* The members of a chat at OpenAI (openai/openai-openapi 2.3.0) and their types. */

const free = z.looseObject({})
const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })
const part = z.discriminatedUnion('type', [
  text,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({
      url: z.string(),
      detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
    }),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({
      filename: z.string().optional(),
      file_data: z.string().optional(),
      file_id: z.string().optional(),
    }),
  }),
])
const called = z.strictObject({ name: z.string(), arguments: z.string() })
const toolCall = z.discriminatedUnion('type', [
  z.strictObject({ id: z.string(), type: z.literal('function'), function: called }),
  z.strictObject({
    id: z.string(),
    type: z.literal('custom'),
    custom: z.strictObject({ name: z.string(), input: z.string() }),
  }),
])
const name = z.string().optional()
const told = z.union([z.string(), z.array(text)])

/** Members of messages by role; other roles are the subject of a rule of their own. */
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: told, name }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(part)]),
    name,
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.union([text, refusal]))]).nullish(),
    refusal: z.string().nullish(),
    name,
    audio: z.strictObject({ id: z.string() }).nullish(),
    tool_calls: z.array(toolCall).optional(),
    function_call: called.nullish(),
    annotations: z.array(free).optional(),
    // Official clients send this and the names of results, though the specification lacks them.
    parsed: z.unknown().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: told, tool_call_id: z.string(), name }),
  z.strictObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
])
const declared = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
})
const tool = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('function'), function: declared }),
  z.strictObject({
    type: z.literal('custom'),
    custom: z.strictObject({
      name: z.string(),
      description: z.string().optional(),
      format: free.optional(),
    }),
  }),
])
const number = z.number().nullish()
const string = z.string().nullish()
const flag = z.boolean().nullish()

export const openaiChat = z.strictObject({
  // At Azure the path may name the model instead.
  model: z.string().optional(),
  messages: z.array(message),
  audio: free.nullish(),
  frequency_penalty: number,
  function_call: z.union([z.string(), free]).optional(),
  functions: z.array(declared.omit({ strict: true })).optional(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: flag,
  max_completion_tokens: z.int().nullish(),
  max_tokens: z.int().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  moderation: free.nullish(),
  n: z.int().nullish(),
  parallel_tool_calls: z.boolean().optional(),
  prediction: free.nullish(),
  presence_penalty: number,
  prompt_cache_key: string,
  prompt_cache_options: free.nullish(),
  prompt_cache_retention: string,
  reasoning_effort: string,
  response_format: free.optional(),
  safety_identifier: string,
  seed: z.int().nullish(),
  service_tier: string,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  store: flag,
  stream: flag,
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  temperature: number,
  tool_choice: z.union([z.string(), free]).optional(),
  tools: z.array(tool).optional(),
  top_logprobs: z.int().nullish(),
  top_p: number,
  user: z.string().optional(),
  verbosity: string,
  web_search_options: free.optional(),
})
