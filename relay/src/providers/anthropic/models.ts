/** What a model of Anthropic's can be told. */
export type ModelTraits = {
  /**
   * `always` thinks whatever it is told, `adaptive` by itself and as much as an effort says, `budget` when it
   * is given tokens for it.
   */
  readonly thinking: 'always' | 'adaptive' | 'budget' | 'none'
  readonly acceptsSampling: boolean
  /** Of answers (`output_config.format`) and of tools (`strict`). */
  readonly acceptsSchemas: boolean
  readonly knowsXhigh: boolean
  /** A last message of the assistant is the beginning of the answer. */
  readonly acceptsBeginning: boolean
}

const NEWEST: ModelTraits = {
  thinking: 'adaptive',
  acceptsSampling: false,
  acceptsSchemas: true,
  knowsXhigh: true,
  acceptsBeginning: false,
}
const ALWAYS_THINKING: ModelTraits = { ...NEWEST, thinking: 'always' }
const FIRST_ADAPTIVE: ModelTraits = { ...NEWEST, acceptsSampling: true, knowsXhigh: false }
const WITH_BUDGET: ModelTraits = {
  thinking: 'budget',
  acceptsSampling: true,
  acceptsSchemas: true,
  knowsXhigh: false,
  acceptsBeginning: true,
}
const FIRST_WITH_BUDGET: ModelTraits = { ...WITH_BUDGET, acceptsSchemas: false }
const OLDEST: ModelTraits = { ...FIRST_WITH_BUDGET, thinking: 'none' }

/** The capability table of the fact sheet 03-anthropic, section 7. The first match counts. */
const FAMILIES: readonly (readonly [RegExp, ModelTraits])[] = [
  [/(?:opus-5-5|fable-5-1|mythos-5-1)(?!\d)/, ALWAYS_THINKING],
  [/(?:opus|sonnet)-4-6(?!\d)/, FIRST_ADAPTIVE],
  [/(?:(?:opus|sonnet|haiku)-4-5|opus-4-1)(?!\d)/, WITH_BUDGET],
  [/(?:opus|sonnet)-4-(?:0(?!\d)|20\d{6})|3-7-sonnet/, FIRST_WITH_BUDGET],
  [/claude-(?:3|2|v\d|instant)/, OLDEST],
  [/claude/, NEWEST],
]

/** Other vendors speak this protocol too, with the thinking of the models that have a budget. */
export const traitsOf = (model: string): ModelTraits =>
  FAMILIES.find(([family]) => family.test(model))?.[1] ?? FIRST_WITH_BUDGET
