import { type Api, APIS, isRecord, parseJson } from '@tollgate/relay'

/** The APIs that a channel's stored `config` says its address offers; null if it says nothing. */
export function apisOf(config: string): Api[] | null {
  const json = config === '' ? null : parseJson(config)
  const given = isRecord(json) ? json['apis'] : null
  if (!Array.isArray(given)) return null
  const apis = APIS.filter((api) => given.includes(api))
  return apis.length === 0 ? null : apis
}
