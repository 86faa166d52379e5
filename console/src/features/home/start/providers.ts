import { catalogue, lacksAccount } from '@tollgate/relay/catalogue'
import { presets } from '@tollgate/relay/presets'

export type Provider = {
  id: string
  name: string
  type: number
  /** Empty if the operator must enter one. */
  baseUrl: string
  /** Sent if the operator enters none. */
  usualKey?: string | undefined
  /** Offered if the provider has no list of its own. */
  models: readonly string[]
}

/** Types that need more than an address and a key are set up in the form of a channel. */
const simpleTypes = catalogue.filter(({ fields }) =>
  fields.every(
    ({ name, required, default: usual }) =>
      name === 'base_url' || required !== true || usual !== undefined,
  ),
)

/** A preset with the name of a type would be a second entry that looks the same. */
const typeNames = new Set(simpleTypes.flatMap(({ name }) => [name.en, name.zh]))

export const providersIn = (language: 'en' | 'zh'): readonly Provider[] => [
  ...simpleTypes.map(({ type, name, baseUrl, usualKey, models }) => ({
    id: `type ${type}`,
    name: name[language],
    type,
    baseUrl,
    usualKey,
    models,
  })),
  ...presets
    .filter(({ baseUrl, name }) => !lacksAccount(baseUrl) && !typeNames.has(name))
    .map(({ id, name, type, baseUrl, models }) => ({ id, name, type, baseUrl, models })),
]
