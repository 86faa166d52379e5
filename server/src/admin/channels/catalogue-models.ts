import { catalogue } from '@tollgate/relay/catalogue'

/** What lists of this family carry as the birthday of every model. */
const CREATED = 1_626_777_600

/** Every model some provider is known to offer, once, under the first provider that lists it. */
export function catalogueModels() {
  const owners = new Map<string, string>()
  for (const { name, models } of catalogue) {
    for (const model of models) if (!owners.has(model)) owners.set(model, name.en)
  }
  return [...owners].map(([id, owned_by]) => ({
    id,
    object: 'model' as const,
    created: CREATED,
    owned_by,
    root: id,
    parent: null,
  }))
}
