import { AppError } from '@tollgate/contract'
import { isRecord, type JsonRecord, parseJson } from '@tollgate/relay'

/** Stands for the value of a header that a channel adds. Any value may be a key. */
const HIDDEN = '***'

function headersIn(config: string): JsonRecord {
  const json = config === '' ? null : parseJson(config)
  const headers = isRecord(json) ? json['headers'] : null
  return isRecord(headers) ? headers : {}
}

/** Returns the text unchanged if no header changes. */
function mapHeaders(config: string, change: (value: unknown, name: string) => unknown): string {
  const headers = Object.entries(headersIn(config))
  const changed = headers.map(([name, value]) => [name, change(value, name)] as const)
  if (changed.every(([, value], at) => value === headers[at]?.[1])) return config
  // Safe because headers were found in the object.
  const json = parseJson(config) as object
  return JSON.stringify({ ...json, headers: Object.fromEntries(changed) })
}

export const hideHeaders = (config: string) => mapHeaders(config, () => HIDDEN)

const hiddenIn = (config: string) =>
  Object.entries(headersIn(config)).flatMap(([name, value]) => (value === HIDDEN ? [name] : []))

/** Throws `header_hidden` for a value that is not stored under that name. */
export function restoreHeaders(config: string, stored: string): string {
  const known = new Map(
    Object.entries(headersIn(stored)).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return mapHeaders(config, (value, name) => {
    if (value !== HIDDEN) return value
    const restored = known.get(name.toLowerCase())
    if (restored === undefined) throw hidden(name)
    return restored
  })
}

/** Throws `header_hidden` for a mask in a place where nothing can be restored. */
export function requireHeaders(config: string): void {
  const [name] = hiddenIn(config)
  if (name !== undefined) throw hidden(name)
}

const hidden = (name: string) => new AppError('header_hidden', { field: `config.headers.${name}` })
