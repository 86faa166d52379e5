/**
 * The channel's name for a model, from its stored JSON map; the model itself if the map lacks it.
 */
export function mappedModel(mapping: string, model: string): string {
  return readMapping(mapping).get(model) ?? model
}

/** A broken map is read as empty. */
export function readMapping(mapping: string): ReadonlyMap<string, string> {
  if (mapping.trim() === '') return new Map()
  try {
    const parsed: unknown = JSON.parse(mapping)
    if (typeof parsed !== 'object' || parsed === null) return new Map()
    return new Map(
      Object.entries(parsed).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
      ),
    )
  } catch {
    return new Map()
  }
}
