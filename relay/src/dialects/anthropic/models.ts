/** The creation date is unknown here; Anthropic's API reports the epoch in that case. */
const UNKNOWN_DATE = '1970-01-01T00:00:00Z'

export const anthropicModel = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: UNKNOWN_DATE,
})

/** All models are on one page. */
export const anthropicModels = (ids: readonly string[]) => ({
  data: ids.map(anthropicModel),
  has_more: false,
  first_id: ids[0] ?? null,
  last_id: ids.at(-1) ?? null,
})
