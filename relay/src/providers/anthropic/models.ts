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

const NEWEST: ModelTraits = {
  thinking: 'adaptive',
  acceptsSampling: false,
  acceptsSchemas: true,
  knowsXhigh: true,
  acceptsPrefill: false,
}
const ALWAYS_THINKING: ModelTraits = { ...NEWEST, thinking: 'always' }
const FIRST_ADAPTIVE: ModelTraits = { ...NEWEST, acceptsSampling: true, knowsXhigh: false }
const WITH_BUDGET: ModelTraits = {
  thinking: 'budget',
  acceptsSampling: true,
  acceptsSchemas: true,
  knowsXhigh: false,
  acceptsPrefill: true,
}
const FIRST_WITH_BUDGET: ModelTraits = { ...WITH_BUDGET, acceptsSchemas: false }
const OLDEST: ModelTraits = { ...FIRST_WITH_BUDGET, thinking: 'none' }

/**
 * By Anthropic's model pages (https://docs.anthropic.com/en/docs/about-claude/models). The first
 * match counts.
 */
const FAMILIES: readonly (readonly [RegExp, ModelTraits])[] = [
  [/(?:opus-5-5|fable-5-1|mythos-5-1)(?!\d)/, ALWAYS_THINKING],
  [/(?:opus|sonnet)-4-6(?!\d)/, FIRST_ADAPTIVE],
  [/(?:(?:opus|sonnet|haiku)-4-5|opus-4-1)(?!\d)/, WITH_BUDGET],
  [/(?:opus|sonnet)-4-(?:0(?!\d)|20\d{6})|3-7-sonnet/, FIRST_WITH_BUDGET],
  [/claude-(?:3|2|v\d|instant)/, OLDEST],
  [/claude/, NEWEST],
]

/** Other providers speak this protocol too. Their models reason like those with a budget. */
export const traitsOf = (model: string): ModelTraits =>
  FAMILIES.find(([family]) => family.test(model))?.[1] ?? FIRST_WITH_BUDGET
