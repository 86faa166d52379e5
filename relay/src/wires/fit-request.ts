import { wireRulesOf } from '../cards/alphabets.ts'
import { cardOf, type CardLookup, hostOf } from '../cards/card-of.ts'
import type { CardPart, ModelCard } from '../cards/model-card.ts'
import type { Adaptations } from '../fit/adaptations.ts'
import { fit, type Fitted } from '../fit/fit.ts'
import { parameterError } from '../form/codec-errors.ts'
import {
  type AssistantBlock,
  type AssistantMessage,
  type ChatForm,
  type Message,
  textBlocks,
  outputLimitOf,
} from '../form/request.ts'
import type { ProviderDescriptor } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import { readChatForm } from './openai-chat/read-request.ts'
import { responsesCard } from './openai-responses/write-request.ts'

export const OPENAI_TYPE = 1

export type EncodingTarget = {
  model: string
  descriptor: ProviderDescriptor
  /** The channel's address; empty for the descriptor's own. */
  baseUrl?: string
  outputLimit?: number
  /** Leaves out encrypted reasoning, which the provider cannot read. */
  dropsReasoning?: boolean
  /** The assistant prefill, for a provider that can continue it. */
  prefill?: string
  /** Absent if the channel's operator states nothing about models. */
  cardOf?: CardLookup | undefined
  /** Collects what the provider gets changed. */
  adaptations?: Adaptations | undefined
}

/** What a provider of another wire gets, and how its names of tools become the client's again. */
export type FittedRequest = Pick<Fitted, 'form' | 'renames'>

/** The wires that are written from a form, whatever the client speaks. */
export const FORM_DIALECTS: ReadonlySet<string> = new Set(['anthropic', 'gemini', 'responses'])

/**
 * The chat for a provider of another wire than that of the client; null if the provider gets what
 * the client has sent. Throws `UnsupportedParameterError`.
 */
export function fitRequest(request: RelayRequest, target: EncodingTarget): FittedRequest | null {
  const { descriptor, model, adaptations, dropsReasoning = false } = target
  if (request.endpoint !== 'chat') return null
  if (request.form === undefined && !FORM_DIALECTS.has(descriptor.dialect)) return null
  requireTranslation(request)
  noteLosses(request, target)
  if (dropsReasoning) adaptations?.note('reasoning')
  const asked = request.form?.get() ?? readChatForm(request.json())
  for (const loss of asked.losses ?? []) adaptations?.note(loss)
  const given = targetedForm(asked, request, target)
  const { form, renames, notes } = fit(given, cardAt(target), wireRulesOf({ ...descriptor, model }))
  for (const note of notes) adaptations?.note(note)
  return { form, renames }
}

export function cardAt({
  descriptor,
  model,
  baseUrl,
  cardOf: cards = cardOf,
}: EncodingTarget): ModelCard {
  const { type, dialect } = descriptor
  if (dialect === 'responses') return responsesCard(descriptor, { baseUrl, cardOf: cards }, model)
  return cards(hostOf(descriptor, baseUrl), model, type === OPENAI_TYPE ? undefined : RESELLER)
}

/** Resellers may serve any model in chat completions. */
const RESELLER: CardPart = { reasoning: { inChat: 'all' } }

/** The chat with the provider's model, the output limit and the prefill. */
function targetedForm(
  { messages, tools, settings }: ChatForm,
  request: RelayRequest,
  { descriptor, model, outputLimit, dropsReasoning = false, prefill, adaptations }: EncodingTarget,
): ChatForm {
  const limit = outputLimitOf(settings)
  const isLimited = outputLimit !== undefined
  if (isLimited && outputLimit < (request.outputLimit ?? 0)) adaptations?.note('max_tokens')
  const limits = {
    max_completion_tokens: undefined,
    max_tokens: Math.min(limit ?? Infinity, outputLimit ?? 0),
  }
  const isPrefilled = prefill !== undefined && descriptor.prefill !== undefined
  return {
    messages: [
      ...(dropsReasoning ? messages.map(withoutDetails) : messages),
      ...(isPrefilled ? [answerOf(prefill)] : []),
    ],
    tools,
    settings: { ...settings, model, ...(isLimited ? limits : {}) },
  }
}

const answerOf = (text: string): AssistantMessage => ({
  role: 'assistant',
  reasoning: '',
  blocks: textBlocks(text),
})

function withoutDetails(message: Message): Message {
  if (message.role !== 'assistant') return message
  const isDetail = (block: AssistantBlock) =>
    block.type === 'seal' && block.seal.kind === 'reasoning_detail'
  return { ...message, blocks: message.blocks.filter((block) => !isDetail(block)) }
}

export function requireTranslation({ refusal }: RelayRequest): void {
  const refused = refusal?.() ?? null
  if (refused !== null) throw parameterError(refused.message, refused.param)
}

/** What the translation from the client's dialect has left out. */
export function noteLosses({ native }: RelayRequest, { adaptations }: EncodingTarget): void {
  if (adaptations === undefined) return
  for (const loss of native?.losses() ?? []) adaptations.note(loss)
}
