import { catalogue } from '@tollgate/relay/catalogue'

/** Fixed timestamp that gateways of this API family report for every model. */
const CREATED = 1_626_777_600

/** Every model known to any provider, listed once under the first provider that offers it. */
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
