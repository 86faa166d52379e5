import { isRecord, type JsonRecord, member, omit, pick } from '../../bytes/json-value.ts'
import { memoizeFor } from '../../bytes/memoize.ts'
import { cardOf, type CardLookup, hostOf } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { noteSettings } from '../../fit/adaptations.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { type Settings, outputLimitOf } from '../../form/request.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { formOf } from '../openai-chat/read-request.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { inputOf } from './write-items.ts'
import { toolMembers } from './write-tools.ts'

/** The API rejects lower limits. */
export const OUTPUT_TOKENS_MIN = 16

/** Throws `UnsupportedParameterError`. */
export function responsesRequest(descriptor: ProviderDescriptor, call: ProviderCall): JsonRecord {
  const { model, stream, isTranslated = false } = call
  const card = responsesCard(descriptor, call.channel, model)
  const form = formOf(call)
  const { settings } = form
  rejectUnsupported(settings)
  // The word JSON, which must be somewhere in the input, does not count in the instructions.
  const hasInstructions = member(settings.response_format, 'type') !== 'json_object'
  const { instructions, items } = inputOf(form.messages, {
    model,
    hasInstructions,
    adaptations: call.adaptations,
  })
  const logprobs = logprobMembers(settings)
  const include = [
    ...(reasons(card) ? ['reasoning.encrypted_content'] : []),
    ...(logprobs === null ? [] : ['message.output_text.logprobs']),
  ]
  const limit = outputLimitOf(settings)
  noteSettings(call.adaptations, settings, omit(settings, ...LACKING))
  return {
    model,
    ...(instructions === '' ? {} : { instructions }),
    input: items,
    ...(stream ? { stream } : {}),
    store: false,
    ...(include.length === 0 ? {} : { include }),
    ...(limit === undefined ? {} : { max_output_tokens: Math.max(limit, OUTPUT_TOKENS_MIN) }),
    ...toolMembers(form),
    ...textMember(settings),
    ...(reasons(card) ? reasoningMember(settings, isTranslated) : {}),
    ...logprobs,
    ...pick(settings, 'temperature', 'top_p', 'user', 'safety_identifier', 'service_tier'),
    ...pick(settings, 'metadata', 'prompt_cache_key', 'prompt_cache_retention'),
  }
}

/** Settings of chat completions that the API does not have. */
const LACKING = [
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'top_k',
  'safety_settings',
] as const

const reasons = ({ reasoning }: ModelCard) => reasoning.how !== 'none'

/** What the model accepts in the Responses API. */
export function responsesCard(
  descriptor: ProviderDescriptor,
  {
    baseUrl,
    cardOf: cards = cardOf,
  }: { baseUrl?: string | undefined; cardOf?: CardLookup | undefined },
  model: string,
): ModelCard {
  return inResponses(cards(hostOf(descriptor, baseUrl), model))
}

const inResponses = memoizeFor((card: ModelCard): ModelCard => {
  const { reasoning } = card
  // BerriAI/litellm: chat completions of the same models refuse this effort.
  const isStronger = reasoning.inChat === 'no_tools_unless_off' && reasoning.efforts !== null
  const efforts = isStronger ? [...(reasoning.efforts ?? []), 'max' as const] : reasoning.efforts
  return {
    ...card,
    reasoning: { ...reasoning, inChat: 'all', efforts },
    content: { ...card.content, takesFileAddresses: true },
  }
})

function rejectUnsupported({ n = 1, modalities = [], stop = [], ...settings }: Settings): void {
  if (n > 1) throw impossible('n', 'must be 1')
  if (settings.audio !== undefined || modalities.some((one) => one !== 'text')) {
    throw impossible('modalities', 'must be text')
  }
  if (stop.length > 0) throw impossible('stop', 'is not possible')
  if (settings.web_search_options !== undefined) {
    throw impossible('web_search_options', 'is not possible')
  }
}

const impossible = (name: string, rule: string) =>
  parameterError(`'${name}' ${rule}: this channel serves the model by the Responses API.`, name)

function logprobMembers({ logprobs, top_logprobs: top }: Settings): JsonRecord | null {
  if (logprobs !== true) return null
  return top === undefined ? {} : { top_logprobs: top }
}

function textMember({ response_format: format, verbosity }: Settings): JsonRecord {
  const text = { ...formatMember(format), ...pick({ verbosity }, 'verbosity') }
  return Object.keys(text).length === 0 ? {} : { text }
}

/** `response_format` as a member of `text`. */
export function formatMember(format: unknown): JsonRecord {
  const type = member(format, 'type')
  const schema = member(format, 'json_schema')
  if (type === 'json_schema' && isRecord(schema))
    return { format: { type, ...omit(schema, 'type') } }
  return type === 'json_object' ? { format: { type } } : {}
}

/**
 * A summary is requested only if the dialect shows reasoning and the request names an effort:
 * OpenAI summarizes for verified organizations only.
 */
function reasoningMember({ reasoning_effort: effort }: Settings, isShown: boolean): JsonRecord {
  if (effort === undefined) return {}
  const summary = isShown && effort !== 'none' ? { summary: 'auto' } : {}
  return { reasoning: { effort, ...summary } }
}
