import { type ChannelCost, readChannelSettings } from '@tollgate/contract/channel-settings'
import {
  type Api,
  type CardLookup,
  cardOf,
  cardsWith,
  editParameters,
  type ParameterEdits,
  parameterEdits,
  type RelayEndpoint,
} from '@tollgate/relay'
import { scheduler } from '../scheduler/fair-scheduler.ts'
import type { UpstreamCall } from './exchange.ts'

/** What the operator of a channel changes in its requests, from its stored `config`. */
export type ChannelOverrides = {
  /** Added to each request, by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Changes of the bodies of text requests; null for none. */
  readonly parameters: ParameterEdits | null
  /** Upper bound of the prompt tokens that the parameters add. */
  readonly promptTokensMax: number
  readonly cardOf: CardLookup
  /** The APIs that the address offers; null if the operator does not say. */
  readonly apis: readonly Api[] | null
  readonly cost: ChannelCost
}

const LIST_PRICE: ChannelCost = {}

export const NO_OVERRIDES: ChannelOverrides = {
  headers: {},
  parameters: null,
  promptTokensMax: 0,
  cardOf,
  apis: null,
  cost: LIST_PRICE,
}

export function overridesOf(config: string): ChannelOverrides {
  const settings = readChannelSettings(config)
  const { headers = {}, set_parameters: set = {}, remove_parameters: removed = [] } = settings
  const { card = {}, apis = {}, cost = LIST_PRICE } = settings
  const isEmpty = [headers, set, removed, card, apis, cost].every(
    (part) => Object.keys(part).length === 0,
  )
  if (isEmpty) return NO_OVERRIDES
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    headers: Object.fromEntries(named),
    parameters: parameterEdits({ set, removed }),
    // Every token has at least one byte.
    promptTokensMax: Object.keys(set).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(set)),
    cardOf: settings.card === undefined ? cardOf : cardsWith(settings.card),
    apis: settings.apis ?? null,
    cost,
  }
}

/** A list, to which the gateway and clients also contribute. */
const BETAS = 'anthropic-beta'

export function withHeaders(
  given: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const { [BETAS]: betas } = given
  const { [BETAS]: addedBetas } = added
  const headers = { ...given, ...added }
  return betas === undefined || addedBetas === undefined
    ? headers
    : { ...headers, [BETAS]: `${betas},${addedBetas}` }
}

/** A promise if the body is long. */
export function withOverrides(
  call: UpstreamCall,
  { headers, parameters }: ChannelOverrides,
  endpoint: RelayEndpoint,
): UpstreamCall | Promise<UpstreamCall> {
  const { body } = call
  const changed = { ...call, headers: withHeaders(call.headers, headers) }
  const isText = endpoint === 'chat' || endpoint === 'completions'
  if (parameters === null || body === null || !isText) return changed
  const edited = scheduler.runSized(call, editParameters(body, parameters), body.length)
  return edited instanceof Promise
    ? edited.then((bytes) => ({ ...changed, body: bytes }))
    : { ...changed, body: edited }
}
