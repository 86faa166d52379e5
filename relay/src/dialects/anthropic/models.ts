/** When a model was made nobody here knows, for which Anthropic itself tells the beginning of time. */
const UNKNOWN_DATE = '1970-01-01T00:00:00Z'

/** A model as Anthropic's list has it. */
export const anthropicModel = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: UNKNOWN_DATE,
})

/** All of them are one page. */
export const anthropicModels = (ids: readonly string[]) => ({
  data: ids.map(anthropicModel),
  has_more: false,
  first_id: ids[0] ?? null,
  last_id: ids.at(-1) ?? null,
})
