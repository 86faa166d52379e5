import { isRecord, type JsonRecord, parseJson, omit } from '../../json-value.ts'
import { isReasoningModel } from './reasoning-model.ts'

/*
 * Members that the translation from other dialects adds and that only codecs understand. Providers
 * with OpenAI's dialect would reject a request that has them.
 */

const REQUEST_EXTENSIONS = [
  'cache_control',
  'safety_settings',
  'top_k',
  'task_type',
  'title',
] as const
const MESSAGE_EXTENSIONS = ['thinking_blocks', 'cache_control', 'images'] as const

/** Request hints that only OpenAI accepts. */
const OPENAI_EXTENSIONS = ['prompt_cache_key', 'verbosity'] as const
const OPENAI_MODELS = /^(?:gpt|chatgpt|codex|o\d)/
/** Models that continue better with their earlier reasoning (12-openai-compatible-vendors). */
const READS_REASONING = /deepseek|kimi|minimax|glm|qwen/i
/** Signatures, which Google's OpenAI-compatible API accepts. */
const READS_SIGNATURES = /gemini/i

/** Adds edits that remove such members. Edits are JSON text by name; null removes a member. */
export function withoutExtensions(
  edits: Readonly<Record<string, string | null>>,
  json: JsonRecord,
  model: string,
): Record<string, string | null> {
  const value = (name: string) => {
    const edit = edits[name]
    return edit === undefined || edit === null ? json[name] : parseJson(edit)
  }
  const [messages, tools, limit] = [value('messages'), value('tools'), value('max_tokens')]
  return {
    ...edits,
    ...Object.fromEntries(REQUEST_EXTENSIONS.map((name) => [name, null])),
    ...(OPENAI_MODELS.test(model)
      ? {}
      : Object.fromEntries(OPENAI_EXTENSIONS.map((name) => [name, null]))),
    ...(Array.isArray(messages)
      ? { messages: JSON.stringify(messages.map((message) => plainMessage(message, model))) }
      : {}),
    ...(Array.isArray(tools) ? { tools: JSON.stringify(tools.map(withoutPartExtensions)) } : {}),
    ...(isReasoningModel(model) && limit !== undefined
      ? { max_tokens: null, max_completion_tokens: JSON.stringify(limit) }
      : {}),
    ...(refusesEffort(model) ? { reasoning_effort: null } : {}),
  }
}

/** The request that a codec sends to a provider with OpenAI's dialect. */
export function plainRequest({
  request,
  model,
  hasExtensions = false,
}: {
  readonly request: JsonRecord
  readonly model: string
  readonly hasExtensions?: boolean
}): JsonRecord {
  return hasExtensions
    ? withEdits(request, withoutExtensions({}, request, model))
    : withoutExtensionMembers(request, model)
}

/** Edits are JSON text by name; null removes a member. */
export function withEdits(
  json: JsonRecord,
  edits: Readonly<Record<string, string | null>>,
): JsonRecord {
  const changed = Object.entries(edits).flatMap(([name, text]): [string, unknown][] =>
    text === null ? [] : [[name, parseJson(text)]],
  )
  return { ...omit(json, ...Object.keys(edits)), ...Object.fromEntries(changed) }
}

/**
 * Requests from clients of OpenAI's dialect stay unchanged, except for members that an answer of
 * another channel gave the client to send back.
 */
function withoutExtensionMembers(request: JsonRecord, model: string): JsonRecord {
  const { messages, tools } = request
  if (!EXTENSION_MEMBERS.test(JSON.stringify([messages, tools]))) return request
  return {
    ...omit(request, 'cache_control', 'safety_settings'),
    ...(Array.isArray(messages)
      ? { messages: messages.map((message) => plainMessage(message, model)) }
      : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(withoutPartExtensions) } : {}),
  }
}

const EXTENSION_MEMBERS = /"(?:thinking_blocks|cache_control|extra_content)":/

/** OpenAI's models without reasoning. */
const refusesEffort = (model: string) => /^(?:gpt|chatgpt)-/.test(model) && !isReasoningModel(model)

function plainMessage(message: unknown, model: string): unknown {
  if (!isRecord(message)) return message
  const { content, tool_calls: calls } = message
  const signatures = READS_SIGNATURES.test(model) ? [] : ['extra_content']
  const reasoningMembers = READS_REASONING.test(model) ? [] : ['reasoning_content']
  const plainCall = (call: unknown) =>
    isRecord(call) ? omit(call, 'cache_control', ...signatures) : call
  const isImagesOnly = content === null && !Array.isArray(calls) && 'images' in message
  return {
    ...omit(message, ...MESSAGE_EXTENSIONS, ...signatures, ...reasoningMembers),
    // No provider accepts an empty message.
    ...(isImagesOnly ? { content: '' } : {}),
    ...(Array.isArray(content) ? { content: plainContent(content) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(plainCall) } : {}),
  }
}

/** A single text becomes a string, which every provider accepts. */
function plainContent(content: readonly unknown[]): unknown {
  const [first] = content
  const isOneText = content.length === 1 && isRecord(first) && first['type'] === 'text'
  return isOneText ? first['text'] : content.map(withoutPartExtensions)
}

const withoutPartExtensions = (value: unknown) =>
  isRecord(value) ? omit(value, 'cache_control', 'extra_content') : value
