import { z } from 'zod'
import { addressFaultOf, type Channel, channelEdit, isProxyAddress } from '@tollgate/contract'
import { descriptorOf, originOf, takesQuery } from '@tollgate/relay/catalogue'
import { type ChannelPreset, lacksAccount, presets } from '@tollgate/relay/presets'
import type { MessageKey } from '../../i18n/types.ts'
import { splitList } from '../../lib/format.ts'

const { base_url, model_mapping, priority, weight } = channelEdit.shape

const message = (key: MessageKey) => ({ error: key })
const passes = (schema: z.ZodType) => (value: unknown) => schema.safeParse(value).success

/**
 * True unless part of the address would not be sent. A query passes here; its support depends on
 * the channel type, see `queryProblems`.
 */
const isSentWhole = (address: string) => [null, 'query'].includes(addressFaultOf(address.trim()))

/** An empty number field is not sent. */
const numberOrEmpty = (schema: z.ZodType) =>
  z.custom<number | ''>(
    (value) => value === '' || passes(schema)(value),
    message('channel.form.numberError'),
  )

const fields = z.object({
  type: z.number(),
  name: z.string().refine((name) => name.trim().length <= 100, message('channel.form.nameLong')),
  groups: z.array(z.string()),
  models: z.array(z.string()).min(1, message('channel.form.modelsError')),
  key: z.string(),
  multi_key: z.boolean(),
  base_url: z
    .string()
    .refine(isSentWhole, message('channel.form.addressPartsError'))
    .refine(
      (address) => !isSentWhole(address) || passes(base_url)(address),
      message('channel.form.addressError'),
    )
    .refine((address) => !lacksAccount(address), message('channel.form.addressAccountError')),
  other: z.string(),
  model_mapping: z.string().refine(passes(model_mapping), message('channel.form.mappingError')),
  proxy: z
    .string()
    .refine((address) => isProxyAddress(address.trim()), message('channel.form.proxyError')),
  /** Stored JSON text, so that settings written by other clients survive. */
  config: z.string(),
  priority: numberOrEmpty(priority),
  weight: numberOrEmpty(weight),
})

export type ChannelValues = z.output<typeof fields>

type Name = keyof ChannelValues
type Problem = { name: Name; key: MessageKey }

const isEmpty = (text: string) => text.trim() === ''

/** Type-specific fields that are required and have no default. */
const typeProblems = (values: ChannelValues): Problem[] =>
  (descriptorOf(values.type)?.fields ?? [])
    .filter(({ name, required, ...field }) => {
      const isNeeded = required === true && field.default === undefined
      return isNeeded && isEmpty(values[name])
    })
    .map(({ name }) => ({ name, key: 'channel.form.fieldRequired' }))

const queryProblems = ({ type, base_url: address }: ChannelValues): Problem[] =>
  addressFaultOf(address.trim()) === 'query' && !takesQuery(type)
    ? [{ name: 'base_url', key: 'channel.form.addressQueryError' }]
    : []

/**
 * Reports all problems at once. A plain schema would check the whole-form rules only after every
 * field is valid.
 */
const formOf = (problemsOf: (values: ChannelValues) => Problem[]) =>
  z.custom<ChannelValues>().check(({ value, issues }) => {
    const own = fields.safeParse(value).error?.issues ?? []
    const more = [...typeProblems(value), ...queryProblems(value), ...problemsOf(value)].map(
      ({ name, key }) => ({
        path: [name],
        message: key,
      }),
    )
    for (const { path, message: text } of [...own, ...more]) {
      issues.push({ code: 'custom', input: value, path, message: text })
    }
  })

export const newChannelForm = formOf((values) =>
  (['name', 'key'] as const)
    .filter((name) => isEmpty(values[name]))
    .map((name) => ({ name, key: `channel.form.${name}Error` })),
)

type Place = Pick<Channel, 'type' | 'base_url'>

/** Whether the key would go to another server, in which case it must be entered again. */
export const isMoved = (before: Place, after: Place) =>
  originOf(before) !== originOf({ ...after, base_url: bareAddress(after.base_url) })

export const editChannelForm = (before: Place) =>
  formOf((values) => {
    const problems: Problem[] = []
    if (isEmpty(values.name)) problems.push({ name: 'name', key: 'common.form.required' })
    if (isEmpty(values.key) && isMoved(before, values)) {
      problems.push({ name: 'key', key: 'channel.form.keyAgain' })
    }
    return problems
  })

export const newChannelValues: ChannelValues = {
  type: 1,
  name: '',
  groups: ['default'],
  models: [],
  key: '',
  multi_key: false,
  base_url: '',
  other: '',
  model_mapping: '',
  proxy: '',
  config: '',
  priority: 0,
  weight: 0,
}

/** What a preset fills in; a name that was entered stays. */
export const valuesOfPreset = ({ name, type, baseUrl, models }: ChannelPreset, given: string) => ({
  type,
  name: isEmpty(given) || isPresetName(given) ? name : given,
  base_url: baseUrl,
  models: [...models],
})

const isPresetName = (text: string) => presets.some(({ name }) => name === text)

export const valuesOf = (channel: Channel): ChannelValues => ({
  type: channel.type,
  name: channel.name,
  groups: splitList(channel.group),
  models: splitList(channel.models),
  key: '',
  multi_key: false,
  base_url: channel.base_url,
  other: channel.other,
  model_mapping: channel.model_mapping,
  proxy: proxyIn(channel.config),
  config: channel.config,
  priority: channel.priority,
  weight: channel.weight,
})

/** Body of an edit: lists joined, empty type-specific fields replaced by their defaults. */
export function editOf({
  groups,
  models,
  multi_key: _multiKey,
  proxy,
  config,
  priority: first,
  weight: share,
  ...rest
}: ChannelValues) {
  const field = descriptorOf(rest.type)?.fields.find(({ name }) => name === 'other')
  return {
    ...rest,
    name: rest.name.trim(),
    base_url: bareAddress(rest.base_url),
    other: isEmpty(rest.other) ? (field?.default ?? '') : rest.other,
    group: groups.length === 0 ? 'default' : groups.join(','),
    models: models.join(','),
    config: withProxy(config, proxy.trim()),
    ...(first !== '' && { priority: first }),
    ...(share !== '' && { weight: Math.max(0, share) }),
  }
}

export const draftOf = (values: ChannelValues) => ({
  ...editOf(values),
  multi_key: values.multi_key,
})

function settingsIn(config: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(config)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json } : {}
  } catch {
    return {}
  }
}

function proxyIn(config: string): string {
  const { proxy } = settingsIn(config)
  return typeof proxy === 'string' ? proxy : ''
}

export function withProxy(config: string, proxy: string): string {
  if (proxyIn(config) === proxy) return config
  const others = Object.entries(settingsIn(config)).filter(([name]) => name !== 'proxy')
  const settings = proxy === '' ? others : [...others, ['proxy', proxy]]
  return settings.length === 0 ? '' : JSON.stringify(Object.fromEntries(settings))
}

const bareAddress = (address: string) => address.trim().replace(/\/+$/, '')

/** Distinct keys in the field, one per line. */
export function countKeys(text: string): number {
  const lines = text.split('\n').map((line) => line.trim())
  return new Set(lines.filter((line) => line !== '')).size
}
