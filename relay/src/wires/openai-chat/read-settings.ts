import { type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { namedFormat } from '../../fit/settings.ts'
import { cacheMarkOf, SETTING_CHECKS, type Settings } from '../../form/request.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

const CHECK_LIST = Object.entries(SETTING_CHECKS)

/** Stop sequences change the answer, so they are read where the client's API has none too. */
export function stopMember({ stop }: JsonRecord): Pick<Settings, 'stop'> {
  const stops = (Array.isArray(stop) ? stop : [stop]).filter(isText)
  return stops.length === 0 ? {} : { stop: stops }
}

/** The settings of a chat but for the choice of tools. */
export function readSettings(json: JsonRecord): Settings {
  const { modalities } = json
  const { cacheMark } = cacheMarkOf(json)
  const values: Record<string, unknown> = {}
  for (const [name, isValid] of CHECK_LIST) if (isValid(json[name])) values[name] = json[name]
  const format = namedFormat(json['response_format'])
  return {
    // Safe because SETTING_CHECKS has a check for each of these members.
    ...(values as Partial<Settings>),
    model: textOf(json['model']),
    ...(format === undefined ? {} : { response_format: format }),
    ...stopMember(json),
    ...(Array.isArray(modalities) ? { modalities: modalities.filter(isText) } : {}),
    ...(cacheMark === undefined ? {} : { cache_control: cacheMark }),
  }
}
