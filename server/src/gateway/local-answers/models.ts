import { vendors } from '@tollgate/contract/prices'
import {
  catalogue,
  type ListedModel,
  modelFacts,
  type ModelFacts,
  pricedPiece,
} from '@tollgate/relay'
import { groupRatioOf, type PricedOptions } from '../../domain/find-price.ts'
import { listedPrice } from '../../domain/listed-price.ts'
import { CALL_TOKENS, type Price } from '../../domain/price.ts'
import { pricedModel } from '../billing/terms-of.ts'
import type { Caller } from '../intake/authenticate.ts'
import { mayUseModel } from '../intake/identify.ts'
import type { ChannelRegistry } from '../routing/channel-registry.ts'
import { modelNotFound } from '../routing/unserved.ts'

/** The date that One API has always shown to its clients. */
const CREATED = 1_626_777_600

/** The first provider of the catalogue that offers a model is shown as its owner. */
const offering: ReadonlyMap<string, string> = new Map(
  catalogue
    .toReversed()
    .flatMap(({ name, models }) => models.map((model) => [model, name.en] as const)),
)

/** Models that the catalogue no longer offers keep their vendor. */
const ownerOf = (model: string) =>
  (offering.get(model) ?? vendors.get(model) ?? 'custom').toLowerCase()

type ModelsDeps = { readonly registry: ChannelRegistry; readonly options: PricedOptions }

/** The models that the token allows and that a group of its owner can use, by name. */
export function usableModels(caller: Caller, deps: ModelsDeps): ListedModel[] {
  const served = [...deps.registry.models(caller.user.groups)]
  const usable = served.filter((model) => mayUseModel(caller.token, model))
  return usable.toSorted().map((id) => listedModel(caller, deps, id))
}

/** Throws a refusal unless the caller can use the model. */
export function usableModel(caller: Caller, deps: ModelsDeps, id: string): ListedModel {
  const { token, user } = caller
  if (mayUseModel(token, id) && deps.registry.models(user.groups).has(id)) {
    return listedModel(caller, deps, id)
  }
  throw modelNotFound(id)
}

/** Facts at the first channel; channels of one model rarely differ in them. */
function listedModel({ user }: Caller, { registry }: ModelsDeps, id: string): ListedModel {
  const group = servingGroup(user.groups, registry, id)
  const [channel] = group === undefined ? [] : registry.channels(group, id)
  if (channel === undefined) return { id, facts: modelFacts(id) }
  const { mapping, overrides } = channel
  return { id, facts: modelFacts(id, { mapped: mapping.get(id) ?? id, cards: overrides.cardOf }) }
}

const servingGroup = (groups: readonly string[], registry: ChannelRegistry, model: string) =>
  groups.find((name) => registry.channels(name, model).length > 0)

/**
 * A model in OpenAI's form, followed by what agents and chat applications read of OpenRouter's
 * (https://openrouter.ai/docs/api-reference/list-available-models). Unknown facts are left out.
 */
export const openaiModel = (caller: Caller, deps: ModelsDeps, { id, facts }: ListedModel) => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: ownerOf(id),
  root: id,
  parent: null,
  name: id,
  ...limitsOf(facts),
  ...modalitiesOf(facts),
  ...pricingOf(caller, deps, id),
  ...reasoningOf(facts),
  ...(facts.shutdown === null ? {} : { expiration_date: facts.shutdown }),
})

/** opencode reads `max_output_length`, most others read `top_provider`. */
function limitsOf({ contextTokens: context, outputTokens: output }: ModelFacts) {
  if (context === null && output === null) return {}
  return {
    ...(context === null ? {} : { context_length: context }),
    ...(output === null ? {} : { max_output_length: output }),
    top_provider: { context_length: context, max_completion_tokens: output, is_moderated: false },
  }
}

function modalitiesOf({ inputs, outputs }: ModelFacts) {
  if (inputs.length === 0 || outputs.length === 0) return {}
  // OpenRouter names documents `file`.
  const input_modalities = inputs.map((name) => (name === 'pdf' ? 'file' : name))
  const modality = `${input_modalities.join('+')}->${outputs.join('+')}`
  return {
    architecture: { modality, input_modalities, output_modalities: outputs },
    input_modalities,
    output_modalities: outputs,
  }
}

/** OpenRouter lists the strongest effort first. */
const reasoningOf = ({ efforts }: ModelFacts) =>
  efforts.length === 0
    ? {}
    : {
        reasoning: {
          mandatory: !efforts.includes('none'),
          supported_efforts: efforts.toReversed(),
        },
      }

/**
 * What the model costs the caller in dollars, in the group that would serve the request. Models
 * sold by the image or by the search have that price, and tokens of theirs cost nothing. OpenRouter
 * has no member for the other units.
 */
function pricingOf({ user }: Caller, { registry, options }: ModelsDeps, model: string) {
  const group = servingGroup(user.groups, registry, model)
  if (group === undefined) return {}
  const names = registry.channels(group, model).map(({ mapping }) => mapping.get(model) ?? model)
  const listed = listedPrice(names, (name) => pricedModel(model, name, options).price)
  if (listed === undefined) return {}
  const { price, mapped } = listed
  const prompt = (price.model_ratio * groupRatioOf(group, options)) / options.QuotaPerUnit
  if (price.per_call) {
    return { pricing: { prompt: '0', completion: '0', request: decimal(prompt * CALL_TOKENS) } }
  }
  const piece = pricedPiece(model) ?? pricedPiece(mapped)
  if (piece === null) return { pricing: tokenPrices(price, prompt) }
  const member = PIECE_MEMBERS[piece.unit]
  if (member === null) return {}
  return { pricing: { prompt: '0', completion: '0', [member]: decimal(prompt * piece.tokens) } }
}

const PIECE_MEMBERS = {
  image: 'image',
  search: 'request',
  page: null,
  second: null,
  character: null,
  call: 'request',
} as const

function tokenPrices(price: Price, prompt: number) {
  const times = (ratio: number) => decimal(prompt * ratio)
  return {
    prompt: times(1),
    completion: times(price.completion_ratio),
    // Clients take these members for a cache that saves money.
    ...(price.cache_ratio === 1 ? {} : { input_cache_read: times(price.cache_ratio) }),
    ...(price.cache_write_ratio === 1 ? {} : { input_cache_write: times(price.cache_write_ratio) }),
  }
}

/** More digits would show rounding errors of floating-point numbers. */
const DIGITS = 14

/** Without an exponent, which some clients do not read. */
const decimal = (value: number): string => value.toFixed(DIGITS).replace(/\.?0+$/, '')
