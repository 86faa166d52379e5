import type { ListedModel } from '../client-dialect.ts'

/** The creation date is unknown here; Anthropic's API reports the epoch in that case. */
const UNKNOWN_DATE = '1970-01-01T00:00:00Z'

export const anthropicModel = ({ id, facts }: ListedModel) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: UNKNOWN_DATE,
  max_input_tokens: facts.contextTokens,
  max_tokens: facts.outputTokens,
  retires_at: facts.shutdown === null ? null : `${facts.shutdown}T00:00:00Z`,
})

/** All models are on one page. */
export const anthropicModels = (models: readonly ListedModel[]) => ({
  data: models.map(anthropicModel),
  has_more: false,
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
})
