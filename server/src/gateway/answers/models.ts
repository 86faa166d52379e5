import { catalogue } from '@tollgate/relay'
import { mayUseModel } from '../intake/admit.ts'
import type { Caller } from '../intake/authenticate.ts'
import type { ChannelRegistry } from '../routing/channel-registry.ts'
import { modelNotFound } from '../routing/unserved.ts'

/** The date that One API has always shown to its clients. */
const CREATED = 1_626_777_600

/** The first provider of the catalogue that offers a model is shown as its owner. */
const owners: ReadonlyMap<string, string> = new Map(
  catalogue
    .toReversed()
    .flatMap(({ name, models }) => models.map((model) => [model, name.en.toLowerCase()] as const)),
)

const entry = (id: string) => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: owners.get(id) ?? 'custom',
  root: id,
  parent: null,
})

/** The models that the token allows and that a group of its owner can use. */
export function listModels({ token, user }: Caller, registry: ChannelRegistry) {
  const served = [...registry.models(user.groups)]
  const usable = served.filter((model) => mayUseModel(token, model))
  return { object: 'list', data: usable.toSorted().map(entry) }
}

export function getModel(caller: Caller, registry: ChannelRegistry, id: string) {
  const { token, user } = caller
  if (mayUseModel(token, id) && registry.models(user.groups).has(id)) return entry(id)
  throw modelNotFound(id)
}
