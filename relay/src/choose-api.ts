import type { APIS } from '@tollgate/contract/channel-settings'
import { splitBase } from './addresses/upstream-request.ts'
import { isRecord, type JsonRecord, listOf, member } from './bytes/json-value.ts'
import { memoize, memoizeFor } from './bytes/memoize.ts'
import { type CardLookup, hostOf } from './cards/card-of.ts'
import type { ModelCard } from './cards/model-card.ts'
import { requestedReasoning } from './fit/requested-reasoning.ts'
import type { ProviderDescriptor } from './provider.ts'
import { azureOpenai } from './providers/azure-openai/descriptor.ts'
import { openai } from './providers/openai-compatible/descriptor.ts'
import type { NativeForm, RelayRequest } from './relay-request.ts'
import { azureVersion } from './wires/azure-address.ts'

/*
 * Which of OpenAI's two APIs for text a request is sent to. A client of Responses gets them where
 * the channel offers them. Other clients stay on chat completions, unless those would refuse the
 * request: OpenAI's current models take tools only in Responses.
 */

export type Api = (typeof APIS)[number]

export type ApiChannel = {
  readonly descriptor: ProviderDescriptor
  /** Empty for the descriptor's own. */
  readonly baseUrl: string
  readonly other: string
  readonly overrides: {
    /** The APIs that the operator says the address offers; null for the default. */
    readonly apis: readonly Api[] | null
    readonly cardOf: CardLookup
  }
  /** The address has answered that it has no Responses. */
  readonly apiMemory: { readonly lacksResponses: boolean }
}

export type ApiRequest = Pick<RelayRequest, 'endpoint' | 'outline'> & {
  readonly native?: OwnRequest | undefined
}

type OwnRequest = Pick<NativeForm, 'dialect' | 'compacts' | 'refusesNames'> &
  Partial<Pick<NativeForm, 'obstacle'>>

/**
 * `if_needed`: the address is that of a reseller, which may have Responses. They are tried for
 * requests that chat completions would refuse.
 */
type Offer = 'no' | 'if_needed' | 'yes' | 'only'

const OFFERING_HOSTS = /^(?:(?:[a-z]{2}\.)?api\.openai\.com|openrouter\.ai|api\.x\.ai)$/
/** Cloudflare's gateway forwards all paths of OpenAI. */
const OFFERING_GATEWAY = /^gateway\.ai\.cloudflare\.com\/v1\/[^/]+\/[^/]+\/openai$/

const offersAt = memoize((baseUrl): boolean => {
  const { address } = splitBase(baseUrl)
  if (!URL.canParse(address)) return false
  const { hostname, pathname } = new URL(address)
  return OFFERING_HOSTS.test(hostname) || OFFERING_GATEWAY.test(hostname + pathname)
})

function offerOf(channel: ApiChannel): Offer {
  const { descriptor, baseUrl, other, overrides, apiMemory } = channel
  const { apis } = overrides
  const { type, dialect } = descriptor
  if (dialect === 'responses') return 'only'
  if (dialect !== 'openai' && dialect !== 'azure') return 'no'
  if (apis !== null) {
    if (!apis.includes('responses')) return 'no'
    return apis.includes('chat') ? 'yes' : 'only'
  }
  if (type === azureOpenai.type) return azureVersion(other).style === 'v1' ? 'yes' : 'no'
  if (offersAt(baseUrl || descriptor.baseUrl)) return 'yes'
  return type === openai.type && !apiMemory.lacksResponses ? 'if_needed' : 'no'
}

/** `model` is the provider's name. */
export function chooseApi(channel: ApiChannel, request: ApiRequest, model: string): Api {
  if (request.endpoint !== 'chat') return 'chat'
  const offer = offerOf(channel)
  if (offer === 'no') return 'chat'
  if (offer === 'only') return 'responses'
  const isOwn = request.native?.dialect === 'responses' && takesNative(channel, request, model)
  if (offer === 'yes' && isOwn) return 'responses'
  const { descriptor, baseUrl, overrides } = channel
  const card = overrides.cardOf(hostOf(descriptor, baseUrl), model)
  return isRefusedByChat(request.outline, card) ? 'responses' : 'chat'
}

/**
 * Whether the provider can be sent the client's own request. Where conversations are not compacted,
 * the model is asked for a summary. Names of tools are changed by translation alone.
 */
export function takesNative(
  channel: CompactingChannel,
  { native }: Pick<ApiRequest, 'native'>,
  model: string,
): boolean {
  if (native === undefined || (native.obstacle ?? null) !== null) return true
  if (native.refusesNames?.(model) === true) return false
  return native.compacts !== true || compactsConversations(channel, model)
}

type CompactingChannel = Pick<ApiChannel, 'descriptor' | 'baseUrl'> & {
  readonly overrides: Pick<ApiChannel['overrides'], 'cardOf'>
}

/** Few addresses that offer Responses make items of compaction and read them. */
export function compactsConversations(
  { descriptor, baseUrl, overrides }: CompactingChannel,
  model: string,
): boolean {
  const host = hostOf(descriptor, baseUrl)
  if (host !== 'unknown') return COMPACTING.has(host)
  // OpenAI itself, and addresses that forward to it.
  return overrides.cardOf(host, model).vendor === 'openai' && !OPEN_WEIGHTS.test(model)
}

const COMPACTING: ReadonlySet<string> = new Set(['azure', 'xai'])
const OPEN_WEIGHTS = /gpt-oss/

/** Whether only the guess that a reseller has Responses lets the request go there. */
export const isTriedOnly = (channel: ApiChannel): boolean => offerOf(channel) === 'if_needed'

function isRefusedByChat(request: JsonRecord, card: ModelCard): boolean {
  const { inChat } = card.reasoning
  if (inChat === 'all' || inChat === 'no_chat') return inChat === 'no_chat'
  const { effort } = requestedReasoning(request)
  if (listOf(request['tools']).length === 0 || effort === 'none') return false
  if (inChat === 'no_tools_with_effort' && effort === undefined) return false
  return !hasChatSettings(request, card)
}

/** Settings that Responses lack and that change the answer. */
function hasChatSettings(request: JsonRecord, { sampling }: ModelCard): boolean {
  const { n, stop, modalities, functions, audio, web_search_options: search } = request
  return (
    (typeof n === 'number' && n > 1) ||
    (sampling.stops !== 0 && (typeof stop === 'string' || listOf(stop).length > 0)) ||
    listOf(modalities).some((modality) => modality !== 'text') ||
    isRecord(audio) ||
    isRecord(search) ||
    listOf(functions).length > 0 ||
    listOf(request['tools']).some((tool) => !CLIENT_TOOLS.has(member(tool, 'type')))
  )
}

const CLIENT_TOOLS = new Set<unknown>(['function', 'custom'])

/** The descriptor under which a request is sent, whose dialect is that of the chosen API. */
export function descriptorFor(
  channel: ApiChannel,
  request: ApiRequest,
  model: string,
): ProviderDescriptor {
  const { descriptor } = channel
  if (chooseApi(channel, request, model) === 'chat') return descriptor
  return descriptor.dialect === 'responses' ? descriptor : responsesVariant(descriptor)
}

const responsesVariant = memoizeFor((descriptor: ProviderDescriptor): ProviderDescriptor => ({
  ...descriptor,
  dialect: 'responses',
  streamUsage: 'always',
}))
