import { cardOf, type CardLookup } from '../../cards/card-of.ts'

export type ModelTraits = {
  /** How the amount of reasoning is set: by level, by token budget, or not at all. */
  readonly thinking: 'level' | 'budget' | 'none'
  /** Accepts any JSON schema, not only the part that OpenAPI supports. */
  readonly takesJsonSchema: boolean
  readonly takesSystem: boolean
  /** Function calls have ids, and must be signed when they are sent back. */
  readonly signsCalls: boolean
}

export function traitsOf(model: string, cards: CardLookup = cardOf): ModelTraits {
  const { reasoning, tools, content } = cards('google', model)
  const { how } = reasoning
  return {
    thinking: how === 'level' || how === 'budget' ? how : 'none',
    takesJsonSchema: tools.enforcesSchemas,
    takesSystem: content.system !== 'none',
    signsCalls: tools.signsCalls,
  }
}
