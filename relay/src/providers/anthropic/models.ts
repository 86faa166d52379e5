import { cardOf } from '../../cards/card-of.ts'

export type ModelTraits = {
  /**
   * `always`: reasons whatever the request says. `adaptive`: reasons by itself, as much as an
   * effort says. `budget`: reasons when given a token budget.
   */
  readonly thinking: 'always' | 'adaptive' | 'budget' | 'none'
  readonly acceptsSampling: boolean
  /** JSON schemas for answers (`output_config.format`) and for tools (`strict`). */
  readonly acceptsSchemas: boolean
  readonly knowsXhigh: boolean
  /** A final assistant message is a prefill of the answer. */
  readonly acceptsPrefill: boolean
}

/** Models of other makers, which some providers serve by this protocol. */
const FOREIGN_MODEL: ModelTraits = {
  thinking: 'budget',
  acceptsSampling: true,
  acceptsSchemas: false,
  knowsXhigh: false,
  acceptsPrefill: true,
}

export function traitsOf(model: string): ModelTraits {
  const { vendor, isKnown, reasoning, sampling, tools, content } = cardOf('anthropic', model)
  if (vendor !== 'anthropic' || !isKnown) return FOREIGN_MODEL
  const { how, efforts, canBeOff } = reasoning
  return {
    thinking: !canBeOff ? 'always' : how === 'adaptive' || how === 'budget' ? how : 'none',
    acceptsSampling: sampling.takes === 'all',
    acceptsSchemas: tools.enforcesSchemas,
    knowsXhigh: efforts?.includes('xhigh') ?? false,
    acceptsPrefill: content.takesPrefill,
  }
}
