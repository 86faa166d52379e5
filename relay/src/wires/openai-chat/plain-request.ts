import { isRecord, type JsonRecord, member, omit } from '../../bytes/json-value.ts'
import { wireRulesOf } from '../../cards/alphabets.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { noteSettings } from '../../fit/adaptations.ts'
import { fit } from '../../fit/fit.ts'
import { PARAGRAPH } from '../../form/request.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { writeChatFor } from './write-request.ts'

/** The request that a codec sends to a provider with OpenAI's dialect. */
export function plainRequest(
  { request, form, model, isTranslated = false, adaptations }: ProviderCall,
  card: ModelCard,
): JsonRecord {
  if (form === undefined) {
    // Members of embeddings that only Google has.
    if (isTranslated) return omit(request, 'task_type', 'title')
    const plain = withoutExtensionMembers(request, card)
    noteSettings(adaptations, request, plain)
    return plain
  }
  const { form: fitted, notes } = fit(form, card, wireRulesOf({ dialect: 'openai', model }))
  for (const note of notes) adaptations?.note(note)
  return writeChatFor(fitted, card)
}

const EXTENSION_MEMBERS = /"(?:thinking_blocks|cache_control|extra_content)":/

/**
 * Requests from clients of OpenAI's dialect stay unchanged, except for members that an answer of
 * another channel gave the client to send back.
 */
function withoutExtensionMembers(request: JsonRecord, card: ModelCard): JsonRecord {
  const { messages, tools } = request
  const { policy } = card.reasoningBack
  const dropped = policy === 'ignored' || policy === 'signed_only' ? ['reasoning_content'] : []
  const plain = (message: unknown) =>
    isRecord(message) ? plainMessage(omit(message, ...dropped), card) : message
  if (!EXTENSION_MEMBERS.test(JSON.stringify([messages, tools]))) return request
  return {
    ...omit(request, 'cache_control', 'safety_settings'),
    ...(Array.isArray(messages) ? { messages: messages.map(plain) } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(withoutPartExtensions) } : {}),
  }
}

function plainMessage(message: JsonRecord, card: ModelCard): JsonRecord {
  const { content, tool_calls: calls } = message
  const signatures = card.reasoningBack.takesSignatures ? [] : ['extra_content']
  const plainCall = (call: unknown) =>
    isRecord(call) ? omit(call, 'cache_control', ...signatures) : call
  return {
    ...omit(message, 'thinking_blocks', 'cache_control', 'images', ...signatures),
    // No provider accepts an empty message.
    ...(content === null && !Array.isArray(calls) ? { content: '' } : {}),
    ...(Array.isArray(content) ? { content: plainParts(content, card) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(plainCall) } : {}),
  }
}

/** A single text becomes a string, and so do several where lists are not accepted. */
function plainParts(parts: readonly unknown[], { content }: ModelCard): unknown {
  const texts = parts.map((part) => (member(part, 'type') === 'text' ? member(part, 'text') : null))
  const isText = texts.every((text) => typeof text === 'string')
  if (isText && (texts.length === 1 || !content.takesTextLists)) return texts.join(PARAGRAPH)
  return parts.map(withoutPartExtensions)
}

const withoutPartExtensions = (value: unknown) =>
  isRecord(value) ? omit(value, 'cache_control', 'extra_content') : value
