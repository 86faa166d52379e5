import { catalogue, isServable } from '@tollgate/relay/catalogue'

/** Names of channel types in a file, such as `anthropic-claude` for "Anthropic Claude". */
const nameOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')

const served = catalogue.filter(({ type }) => isServable(type))

const typesByName: ReadonlyMap<string, number> = new Map(
  served.map(({ type, name }) => [nameOf(name.en), type]),
)
export const CHANNEL_TYPES = [...typesByName.keys()]

export const typeOfName = (name: string) => typesByName.get(name)
