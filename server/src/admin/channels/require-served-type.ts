import { AppError, type InBoth, readChannelSettings } from '@tollgate/contract'
import { descriptorOf, isServable, takesParameters } from '@tollgate/relay/catalogue'

/** Throws if the relay does not support the type, or if the type needs an address and has none. */
export function requireServedType({ type, base_url }: { type: number; base_url: string }) {
  if (!isServable(type)) throw new AppError('channel_type_unserved', { type })
  if (base_url === '' && descriptorOf(type)?.baseUrl === '') {
    throw new AppError('channel_base_url_required')
  }
}

const NO_PARAMETERS: InBoth = {
  en: 'must be left out for channels of this type, whose requests are signed or have another form',
  zh: '不适用于该类型的渠道，因为其请求带有签名或采用其他格式',
}

/** Throws `invalid_field` if the type cannot change parameters of its requests. */
export function requireNoUselessParameters({ type, config }: { type: number; config: string }) {
  if (takesParameters(type)) return
  const settings = readChannelSettings(config)
  for (const name of ['set_parameters', 'remove_parameters'] as const) {
    if (Object.keys(settings[name] ?? {}).length === 0) continue
    throw new AppError('invalid_field', { field: `config.${name}`, problem: NO_PARAMETERS })
  }
}
