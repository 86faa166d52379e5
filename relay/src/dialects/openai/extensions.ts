import { noteChanges } from '../../adaptations.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { plainMessage, withoutPartExtensions } from '../../fit/content.ts'
import { fitChat } from '../../fit/fit-chat.ts'
import { isRecord, type JsonRecord, omit } from '../../json-value.ts'

/** The request that a codec sends to a provider with OpenAI's dialect. */
export function plainRequest(
  {
    request,
    hasExtensions = false,
    adaptations,
  }: Pick<ProviderCall, 'request' | 'hasExtensions' | 'adaptations'>,
  card: ModelCard,
): JsonRecord {
  const plain = hasExtensions ? fitChat(request, card) : withoutExtensionMembers(request, card)
  noteChanges(adaptations, request, plain)
  return plain
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
