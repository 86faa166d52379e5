/** The server shows this in place of the stored value of a header. */
export const HIDDEN = '***'

export type HeaderRow = { name: string; value: string }

/** What the form edits of a channel's `config`; objects are JSON text. */
export type OverrideValues = {
  headers: HeaderRow[]
  set_parameters: string
  remove_parameters: string[]
  /** Empty if the gateway decides. */
  apis: string[]
  card: string
  cost: string
}

export const NO_OVERRIDES: OverrideValues = {
  headers: [],
  set_parameters: '',
  remove_parameters: [],
  apis: [],
  card: '',
  cost: '',
}

type Settings = Record<string, unknown>

const isObject = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null for text that is no JSON object. */
export function objectIn(text: string): Settings | null {
  if (text.trim() === '') return {}
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : null
  } catch {
    return null
  }
}

const settingsIn = (config: string): Settings => objectIn(config) ?? {}

const textOf = (value: unknown) => (isObject(value) ? JSON.stringify(value, null, 2) : '')

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

export function overridesIn(config: string): OverrideValues {
  const { headers, set_parameters, remove_parameters, apis, card, cost } = settingsIn(config)
  return {
    headers: Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => ({
      name,
      value: String(value),
    })),
    set_parameters: textOf(set_parameters),
    remove_parameters: listOf(remove_parameters),
    apis: listOf(apis),
    card: textOf(card),
    cost: textOf(cost),
  }
}

/** The overrides of a copy, for which the values of headers are entered again. */
export const withoutHidden = ({ headers, ...rest }: OverrideValues): OverrideValues => ({
  ...rest,
  headers: headers.map(({ name, value }) => ({ name, value: value === HIDDEN ? '' : value })),
})

export function proxyIn(config: string): string {
  const { proxy } = settingsIn(config)
  return typeof proxy === 'string' ? proxy : ''
}

const headersOf = (rows: readonly HeaderRow[]) =>
  Object.fromEntries(
    rows
      .filter(({ name, value }) => name !== '' || value !== '')
      .map(({ name, value }) => [name, value]),
  )

/** The `config` to store: members that the form does not know keep their values. */
export function configOf(
  stored: string,
  {
    proxy,
    headers,
    set_parameters,
    remove_parameters,
    apis,
    card,
    cost,
  }: OverrideValues & { proxy: string },
): string {
  const before = settingsIn(stored)
  const edited: Settings = {
    proxy: proxy.trim(),
    headers: headersOf(headers),
    set_parameters: settingsIn(set_parameters),
    remove_parameters,
    apis,
    card: settingsIn(card),
    cost: settingsIn(cost),
  }
  const known = Object.keys(edited).filter(
    (name) => Object.hasOwn(before, name) || !isEmpty(edited[name]),
  )
  const isSame = known.every(
    (name) => JSON.stringify(before[name]) === JSON.stringify(edited[name]),
  )
  if (isSame) return stored
  const settings = Object.entries({ ...before, ...edited }).filter(
    ([name, value]) => !(name in edited) || !isEmpty(value),
  )
  return settings.length === 0 ? '' : JSON.stringify(Object.fromEntries(settings))
}

const isEmpty = (value: unknown) =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
