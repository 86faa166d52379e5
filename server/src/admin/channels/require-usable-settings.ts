import { AppError, type InBoth } from '@tollgate/contract'
import { readChannelSettings, settingsProblem } from '@tollgate/contract/channel-settings'
import { isRecord, parseJson } from '@tollgate/relay'
import { takesParameters } from '@tollgate/relay/catalogue'

const NO_PARAMETERS: InBoth = {
  en: 'must be left out for channels of this type, whose requests are signed or have another form',
  zh: '不适用于该类型的渠道，因为其请求带有签名或采用其他格式',
}

/**
 * Throws `invalid_field` if a member of the configuration breaks its rule, or if the type cannot
 * change parameters of its requests.
 */
export function requireUsableSettings({ type, config }: { type: number; config: string }) {
  const json = config === '' ? null : parseJson(config)
  if (!isRecord(json)) return
  const found = settingsProblem(json)
  if (found !== null) throw invalid(found.field, found.problem)
  if (takesParameters(type)) return
  const settings = readChannelSettings(config)
  for (const name of ['set_parameters', 'remove_parameters'] as const) {
    if (Object.keys(settings[name] ?? {}).length > 0) throw invalid(name, NO_PARAMETERS)
  }
}

const invalid = (field: string, problem: InBoth) =>
  new AppError('invalid_field', { field: `config.${field}`, problem })
