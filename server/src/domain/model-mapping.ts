/** What a channel calls a model: its stored JSON map decides, a name it lacks stays as it is. */
export function mappedModel(mapping: string, model: string): string {
  return readMapping(mapping).get(model) ?? model
}

/** The stored map; a broken one maps nothing. */
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
