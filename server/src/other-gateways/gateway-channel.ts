import { settingsProblem } from '@tollgate/contract/channel-settings'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { mapChannelType, type TypeFamily } from './channel-types.ts'
import {
  flagIn,
  integerIn,
  isObject,
  listIn,
  objectIn,
  parseObject,
  type Row,
  secondsIn,
  textIn,
  textsIn,
} from './row.ts'
import type { SourceChannel, Tell } from './source-channel.ts'

export const CHANNEL_COLUMNS = [
  ...(['type', 'key', 'status', 'name', 'weight', 'created_time', 'base_url', 'other'] as const),
  ...(['models', 'group', 'model_mapping', 'priority', 'config', 'system_prompt'] as const),
  ...(['other_info', 'setting', 'param_override', 'header_override', 'channel_info'] as const),
  ...(['status_code_mapping', 'tag', 'proxy', 'model_headers', 'custom_parameter'] as const),
] as const

const CUSTOM = 8
const AUTO_DISABLED = 3
/** The column `other`, in One API's object of settings, by channel type. */
const OTHER_IN_CONFIG: Readonly<Record<number, string>> = {
  3: 'api_version',
  17: 'plugin',
  18: 'api_version',
  21: 'library_id',
  24: 'api_version',
}

/** Columns that change a request in ways that this product has no setting for. */
const LOST = ['system_prompt', 'status_code_mapping'] as const

export function readChannel(row: Row, family: TypeFamily, tell: Tell): SourceChannel {
  const id = textIn(row, 'id')
  const name = textIn(row, 'name') || `channel ${id}`
  const where = `channel ${id} (${name})`
  const mapped = mapChannelType(family, integerIn(row, 'type'))
  const address = textIn(row, 'base_url')
  const type = 'reason' in mapped ? CUSTOM : mapped.type
  const baseUrl = address || ('baseUrl' in mapped ? (mapped.baseUrl ?? '') : '')
  const reason = 'reason' in mapped ? mapped.reason : addressProblem(type, baseUrl)
  const status = integerIn(row, 'status')
  if (reason !== null) tell('Channels imported as disabled', `${where}: ${reason}`)
  for (const column of LOST) {
    const text = textIn(row, column)
    if (text !== '' && text !== '{}') tell('Channel settings left out', `${where}: ${column}`)
  }
  return {
    id,
    type,
    isEnabled: reason === null && status <= 1,
    disabledReason: reason ?? (status === AUTO_DISABLED ? statusReason(row) : ''),
    name,
    keys: readKeys(row),
    baseUrl: reason === null ? baseUrl : '',
    other: readOther(row, type),
    models: readModels(row, where, tell),
    groups: listIn(textIn(row, 'group') || 'default'),
    tag: textIn(row, 'tag'),
    modelMapping: readMapping(row, where, tell),
    priority: integerIn(row, 'priority'),
    weight: Math.max(0, integerIn(row, 'weight')),
    config: readConfig(row, { where, reason, family }, tell),
    createdTime: secondsIn(row, 'created_time'),
  }
}

function addressProblem(type: number, baseUrl: string): string | null {
  if (baseUrl !== '' && !URL.canParse(baseUrl)) return `${baseUrl} is not an address`
  const needsAddress = descriptorOf(type)?.baseUrl === ''
  return needsAddress && baseUrl === '' ? 'it has no address' : null
}

const statusReason = (row: Row) =>
  textIn(objectIn(row, 'other_info'), 'status_reason') || 'the other gateway had disabled it'

/** Keys of a channel: one, a line each, or a JSON array; without those that are disabled. */
function readKeys(row: Row): string[] {
  const info = objectIn(row, 'channel_info')
  const text = textIn(row, 'key')
  const keys = flagIn(info, 'is_multi_key') && text.startsWith('[') ? arrayOf(text) : lines(text)
  const statuses = isObject(info['multi_key_status_list']) ? info['multi_key_status_list'] : {}
  const live = keys.filter((_, index) => Number(statuses[String(index)] ?? 1) === 1)
  return live.length > 0 ? live : keys
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function arrayOf(text: string): string[] {
  try {
    const json: unknown = JSON.parse(text)
    if (!Array.isArray(json)) return lines(text)
    return json.map((key) => (typeof key === 'string' ? key : JSON.stringify(key)))
  } catch {
    return lines(text)
  }
}

function readOther(row: Row, type: number): string {
  const name = OTHER_IN_CONFIG[type]
  const inConfig = name === undefined ? '' : textIn(objectIn(row, 'config'), name)
  return inConfig || (name === undefined ? '' : textIn(row, 'other'))
}

function readModels(row: Row, where: string, tell: Tell): string[] {
  const models = listIn(textIn(row, 'models'))
  const patterns = models.filter((model) => model.includes('*'))
  if (patterns.length > 0) {
    tell('Model patterns, which match nothing here', `${where}: ${patterns.join(', ')}`)
  }
  return models
}

function readMapping(row: Row, where: string, tell: Tell): Row {
  const text = textIn(row, 'model_mapping')
  const entries = Object.entries(parseObject(text))
  const usable = entries.filter(([, target]) => typeof target === 'string' && target !== '')
  const isBroken = text !== '' && text !== '{}' && entries.length === 0
  if (isBroken || usable.length < entries.length) {
    tell('Channel settings left out', `${where}: parts of model_mapping`)
  }
  return Object.fromEntries(usable)
}

type Found = {
  readonly where: string
  readonly reason: string | null
  readonly family: TypeFamily
}

/** Proxy, headers and parameters. A setting that this product refuses is left out. */
function readConfig(row: Row, { where, reason, family }: Found, tell: Tell): Row {
  const proxy = textIn(row, 'proxy') || textIn(objectIn(row, 'setting'), 'proxy')
  const headers = { ...objectIn(row, 'model_headers'), ...objectIn(row, 'header_override') }
  const parameters = { ...objectIn(row, 'custom_parameter'), ...objectIn(row, 'param_override') }
  const settings = {
    ...(proxy !== '' && { proxy }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(parameters).length > 0 && { set_parameters: parameters }),
    ...(reason !== null && { imported_type: `${family} ${textIn(row, 'type')}` }),
  }
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => {
      const problem = settingsProblem({ [name]: value })
      if (problem === null) return true
      tell('Channel settings left out', `${where}: ${name}, which ${problem.problem.en}`)
      return false
    }),
  )
}

/** Model limits of a key: only if they are switched on. */
export function limitedModels(isLimited: boolean, models: unknown): string[] {
  if (!isLimited) return []
  return typeof models === 'string' ? listIn(models) : textsIn(models)
}
