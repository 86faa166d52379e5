import { cardOf, type CardLookup } from '../../cards/card-of.ts'
import type { CardPart } from '../../cards/model-card.ts'

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
const FOREIGN_MODEL: CardPart = {
  reasoning: { how: 'budget', efforts: null, canBeOff: true },
  sampling: { takes: 'all' },
  tools: { enforcesSchemas: false },
  content: { takesPrefill: true },
}

export function traitsOf(model: string, cards: CardLookup = cardOf): ModelTraits {
  const { vendor, isKnown } = cardOf('anthropic', model)
  const isForeign = vendor !== 'anthropic' || !isKnown
  const card = cards('anthropic', model, isForeign ? FOREIGN_MODEL : undefined)
  const { reasoning, sampling, tools, content } = card
  const { how, efforts, canBeOff } = reasoning
  return {
    thinking: !canBeOff ? 'always' : how === 'adaptive' || how === 'budget' ? how : 'none',
    acceptsSampling: sampling.takes === 'all',
    acceptsSchemas: tools.enforcesSchemas,
    knowsXhigh: efforts?.includes('xhigh') ?? false,
    acceptsPrefill: content.takesPrefill,
  }
}
