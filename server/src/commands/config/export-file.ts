import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import {
  CHANNEL_STATUS,
  type OptionKey,
  OPTIONS,
  type OptionValues,
  parseIn,
} from '@tollgate/contract'
import { isRecord, parseJson } from '@tollgate/relay'
import { hidePasswords } from '../../admin/channels/hidden-passwords.ts'
import { OWN_PRICE_TABLES } from '../../domain/own-price.ts'
import { nameOfType } from './channel-types.ts'
import { checkFile } from './check-file.ts'
import { pathText } from './fault.ts'
import {
  configFile,
  fileOptionKeys,
  GROUP_TABLES,
  isSecretInFile,
  TOKEN_LIMITS,
  USER_LIMITS,
} from './file-schema.ts'
import type { Installation, StoredChannel } from './installation.ts'
import { filePrice, storedRatios } from './own-prices.ts'

export type Exported = {
  /** A file that `diff` finds equal once its references have values. */
  readonly text: string
  /** References that the operator has to fill, each with what it stands for. */
  readonly references: ReadonlyMap<string, string>
  /** Channels and prices that a file cannot hold, each with the reason. */
  readonly omitted: readonly string[]
}

export function exportFile({ values, channels, managed, planned }: Installation): Exported {
  const references = new References()
  const kept = new Map<string, object>()
  const omitted: string[] = []
  for (const channel of channels) {
    const isTwin = channels.some(({ id, name }) => id !== channel.id && name === channel.name)
    const written = writeChannel(channel, new References())
    const reason = isTwin ? 'another channel has the name' : faultOf(written)
    if (reason !== null) omitted.push(`channel ${channel.id} (${channel.name}): ${reason}`)
    else kept.set(channel.name, writeChannel(channel, references))
  }
  for (const [model, days] of planned) {
    omitted.push(`price of ${model}: other prices begin on ${days.join(', ')}`)
  }
  const file = {
    version: 1,
    locked: managed.isLocked,
    groups: writeGroups(values),
    prices: writePrices(values, planned),
    limits: { user: writeLimits(USER_LIMITS, values), token: writeLimits(TOKEN_LIMITS, values) },
    options: writeOptions(values, references),
    channels: [...kept.values()],
  }
  return {
    text:
      headOf(references.all) + stringify(file, { lineWidth: 100, aliasDuplicateObjects: false }),
    references: references.all,
    omitted,
  }
}

function headOf(references: ReadonlyMap<string, string>): string {
  const lines = [...references].map(([reference, what]) => `#   ${reference}  ${what}`)
  const fill = lines.length === 0 ? [] : ['# Set these before it is applied:', ...lines]
  return [...fill, ''].join('\n')
}

/** Makes a name for each secret. */
class References {
  readonly all = new Map<string, string>()

  add(what: string, ...parts: readonly string[]): string {
    const name = ['TOLLGATE', ...parts]
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z\d]+/g, '_')
    let reference = `env:${name}`
    for (let next = 2; this.all.has(reference); next += 1) reference = `env:${name}_${next}`
    this.all.set(reference, what)
    return reference
  }
}

/** Why the file's own rules refuse the channel; null if they do not. */
function faultOf(channel: object): string | null {
  const parsed = parseIn(configFile, { version: 1, channels: [channel] }, 'en')
  if (!parsed.success) return parsed.error.issues[0]?.message ?? 'it is not valid'
  const [fault] = checkFile(parsed.data)
  return fault === undefined ? null : `${pathText(fault.path.slice(2))}: ${fault.problem}`
}

function writeChannel(channel: StoredChannel, references: References): object {
  const { name, type, base_url, other, model_mapping, priority, weight, tag, status, config } =
    channel
  const shown = hidePasswords({ base_url, config })
  const address =
    shown.base_url === base_url
      ? base_url
      : references.add(`the base URL of channel ${name}`, name, 'base_url')
  const mapping = objectIn(model_mapping)
  const settings = writeConfig(channel, shown.config, references)
  const keys = channel.keys.map(() => references.add(`a key of channel ${name}`, name, 'key'))
  return {
    name,
    type: nameOfType(type),
    ...(keys.length === 1 ? { key: keys[0] } : { keys }),
    models: channel.models.split(','),
    groups: channel.group.split(','),
    ...unless('', { base_url: address }),
    ...unless('', { tag }),
    ...unless('', { other }),
    ...unless(0, { priority }),
    ...unless(0, { weight }),
    ...(status === CHANNEL_STATUS.disabled && { status: 'disabled' }),
    ...(Object.keys(mapping).length > 0 && { model_mapping: mapping }),
    ...(Object.keys(settings).length > 0 && { config: settings }),
  }
}

/** The member unless it has the value that the file assumes. */
function unless(assumed: unknown, member: Readonly<Record<string, unknown>>) {
  return Object.values(member).includes(assumed) ? {} : member
}

function objectIn(json: string): Readonly<Record<string, unknown>> {
  const value = json === '' ? {} : parseJson(json)
  return isRecord(value) ? value : {}
}

/** The values of headers may be keys, and the address of a proxy may have a password. */
function writeConfig({ name, config }: StoredChannel, shown: string, references: References) {
  const { proxy, headers, ...others } = objectIn(config)
  const hidden = objectIn(shown)['proxy'] !== proxy
  const proxyText = hidden ? references.add(`the proxy of channel ${name}`, name, 'proxy') : proxy
  const named = isRecord(headers) ? Object.keys(headers) : []
  const headerTexts: [string, string][] = named.map((header) => [
    header,
    references.add(`the header ${header} of channel ${name}`, name, 'header', header),
  ])
  return {
    ...others,
    ...(proxy !== undefined && { proxy: proxyText }),
    ...(headers !== undefined && { headers: Object.fromEntries(headerTexts) }),
  }
}

function writeGroups(values: OptionValues) {
  const tables = Object.entries(GROUP_TABLES)
  const names = new Set(tables.flatMap(([, table]) => Object.keys(values[table])))
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      Object.fromEntries(
        tables.flatMap(([field, table]) =>
          Object.hasOwn(values[table], name) ? [[field, values[table][name]]] : [],
        ),
      ),
    ]),
  )
}

/** A file has no later prices, and would remove those of the models that it names. */
function writePrices(values: OptionValues, planned: Installation['planned']) {
  const models = new Set(OWN_PRICE_TABLES.flatMap((table) => Object.keys(values[table])))
  const kept = [...models].filter((model) => !planned.has(model))
  return Object.fromEntries(
    kept.map((model) => [model, filePrice(storedRatios(model, values), values.QuotaPerUnit)]),
  )
}

const isSet = (key: OptionKey, values: OptionValues) =>
  !isDeepStrictEqual(values[key], OPTIONS[key].default)

const writeLimits = (table: Readonly<Record<string, OptionKey>>, values: OptionValues) =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, key]) =>
      isSet(key, values) ? [[name, values[key]]] : [],
    ),
  )

const writeOptions = (values: OptionValues, references: References) =>
  Object.fromEntries(
    fileOptionKeys.flatMap((key) => {
      if (!isSet(key, values)) return []
      if (!isSecretInFile(key)) return [[key, values[key]]]
      return [[key, references.add(`the option ${key}`, 'option', key)]]
    }),
  )
