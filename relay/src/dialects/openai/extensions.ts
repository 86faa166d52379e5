import { isRecord, type JsonRecord, parseJson, without } from '../../json-value.ts'
import { isThinkingModel } from './thinking-model.ts'

/*
 * Members that requests of other dialects are translated to, and that only codecs know. Who speaks OpenAI's
 * dialect would refuse a request for them.
 */

const OF_REQUESTS = ['cache_control', 'safety_settings', 'top_k', 'task_type', 'title'] as const
const OF_MESSAGES = ['thinking_blocks', 'cache_control', 'extra_content', 'images'] as const

/** The edits of a request, as JSON by member, with those that take such members out of it. */
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
    ...Object.fromEntries(OF_REQUESTS.map((name) => [name, null])),
    ...(Array.isArray(messages) ? { messages: JSON.stringify(messages.map(plainMessage)) } : {}),
    ...(Array.isArray(tools) ? { tools: JSON.stringify(tools.map(plain)) } : {}),
    ...(isThinkingModel(model) && limit !== undefined
      ? { max_tokens: null, max_completion_tokens: JSON.stringify(limit) }
      : {}),
    ...(refusesEffort(model) ? { reasoning_effort: null } : {}),
  }
}

/** Of OpenAI's own those that do not think. */
const refusesEffort = (model: string) => /^(?:gpt|chatgpt)-/.test(model) && !isThinkingModel(model)

function plainMessage(message: unknown): unknown {
  if (!isRecord(message)) return message
  const { content, tool_calls: calls } = message
  return {
    ...without(message, ...OF_MESSAGES),
    ...(Array.isArray(content) ? { content: plainContent(content) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(plain) } : {}),
  }
}

/** One text as a string, which every provider takes. */
function plainContent(content: readonly unknown[]): unknown {
  const [first] = content
  const isOneText = content.length === 1 && isRecord(first) && first['type'] === 'text'
  return isOneText ? first['text'] : content.map(plain)
}

const plain = (value: unknown) =>
  isRecord(value) ? without(value, 'cache_control', 'extra_content') : value
