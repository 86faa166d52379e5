import type { ModelCard } from '../cards/model-card.ts'
import { rejectSchema } from '../codec/chat-request.ts'
import { type JsonRecord, listOf, member, omit } from '../json-value.ts'
import { fitContent } from './content.ts'
import { withDeclaredCalls } from './declared-calls.ts'
import { fitReasoningBack } from './reasoning-back.ts'
import { fitReasoning } from './reasoning.ts'
import { fitSettings } from './settings.ts'

/** Members that the translation from other dialects adds, and that only codecs understand. */
const EXTENSIONS = ['cache_control', 'safety_settings', 'top_k', 'task_type', 'title'] as const
/** Hints that only OpenAI accepts. */
const OPENAI_HINTS = ['prompt_cache_key', 'verbosity'] as const

/**
 * Adapts a request that was translated from another dialect to what the model's vendor accepts.
 * Hints are changed or left out. Throws `UnsupportedParameterError`.
 */
export function fitChat(json: JsonRecord, card: ModelCard): JsonRecord {
  const hints = card.vendor === 'openai' ? [] : OPENAI_HINTS
  const plain = omit(json, ...EXTENSIONS, ...hints)
  if (!Array.isArray(plain['messages'])) return plain
  if (!card.content.takesAnswerSchemas) rejectSchema(plain)
  const named = withJsonNamed(plain)
  const declared = card.tools.takesUndeclaredCalls ? named : withDeclaredCalls(named)
  return fitContent(fitReasoningBack(fitSettings(fitReasoning(declared, card), card), card), card)
}

/**
 * OpenAI, DeepSeek and Alibaba refuse `json_object` if no message has the word JSON
 * (browserbase/stagehand#1204). At the end, because vendors cache the beginning of a prompt.
 */
function withJsonNamed(json: JsonRecord): JsonRecord {
  const { response_format: format, messages } = json
  if (member(format, 'type') !== 'json_object' || /json/i.test(JSON.stringify(messages)))
    return json
  return {
    ...json,
    messages: [...listOf(messages), { role: 'system', content: 'Answer in JSON.' }],
  }
}
