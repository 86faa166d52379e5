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
const namesByType = new Map([...typesByName].map(([name, type]) => [type, name]))

export const CHANNEL_TYPES = [...typesByName.keys()]

export const typeOfName = (name: string) => typesByName.get(name)

/** The number itself for a type that the relay does not serve. */
export const nameOfType = (type: number): string | number => namesByType.get(type) ?? type
