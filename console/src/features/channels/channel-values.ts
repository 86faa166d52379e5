import { z } from 'zod'
import { addressFaultOf, type Channel, channelEdit, isProxyAddress } from '@tollgate/contract'
import { descriptorOf, lacksAccount, originOf, takesQuery } from '@tollgate/relay/catalogue'
import type { MessageKey } from '../../i18n/types.ts'
import { visibleText } from '../../lib/codes.ts'
import { splitList } from '../../lib/format.ts'
import { loadExtra } from '../../lib/load-chunk.ts'
import {
  configOf,
  HIDDEN,
  NO_OVERRIDES,
  type OverrideValues,
  overridesIn,
  proxyIn,
  withoutHidden,
} from './channel-overrides.ts'

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
    message('channelForm.numberError'),
  )

const fields = z.object({
  type: z.number(),
  name: z.string().refine((name) => name.trim().length <= 100, message('channelForm.nameLong')),
  groups: z.array(z.string()),
  tag: z.string(),
  models: z.array(z.string()).min(1, message('channelForm.modelsError')),
  key: z.string(),
  multi_key: z.boolean(),
  base_url: z
    .string()
    .refine(isSentWhole, message('channelForm.addressPartsError'))
    .refine(
      (address) => !isSentWhole(address) || passes(base_url)(address),
      message('channelForm.addressError'),
    )
    .refine((address) => !lacksAccount(address), message('channelForm.addressAccountError')),
  other: z.string(),
  model_mapping: z.string().refine(passes(model_mapping), message('channelForm.mappingError')),
  proxy: z
    .string()
    .refine((address) => isProxyAddress(address.trim()), message('channelForm.proxyError')),
  /** Stored JSON text, so that settings written by other clients survive. */
  config: z.string(),
  priority: numberOrEmpty(priority),
  weight: numberOrEmpty(weight),
})

export type ChannelValues = z.output<typeof fields> & OverrideValues

type Problem = { name: keyof ChannelValues; key: MessageKey; path?: (string | number)[] }

const isEmpty = (text: string) => text.trim() === ''

/** Type-specific fields that are required and have no default. */
const typeProblems = (values: ChannelValues): Problem[] =>
  (descriptorOf(values.type)?.fields ?? [])
    .filter(({ name, required, ...field }) => {
      const isNeeded = required === true && field.default === undefined
      return isNeeded && isEmpty(values[name])
    })
    .map(({ name }) => ({ name, key: 'channelForm.fieldRequired' }))

const queryProblems = ({ type, base_url: address }: ChannelValues): Problem[] =>
  addressFaultOf(address.trim()) === 'query' && !takesQuery(type)
    ? [{ name: 'base_url', key: 'channelForm.addressQueryError' }]
    : []

/**
 * Reports all problems at once. A plain schema would check the whole-form rules only after every
 * field is valid.
 */
const formOf = (problemsOf: (values: ChannelValues) => Problem[]) =>
  z.custom<ChannelValues>().check(async ({ value, issues }) => {
    const own = fields.safeParse(value).error?.issues ?? []
    const more = [...typeProblems(value), ...queryProblems(value), ...problemsOf(value)].map(
      ({ name, key, path = [name] }) => ({ path, message: key }),
    )
    const inner = (await overrideProblems(value)).map(({ path, key }) => ({ path, message: key }))
    for (const { path, message: text } of [...own, ...more, ...inner]) {
      issues.push({ code: 'custom', input: value, path, message: text })
    }
  })

/** Loads the rules of overrides once a channel has some. The server checks them in any case. */
async function overrideProblems(values: ChannelValues) {
  const hasOverrides = Object.keys(NO_OVERRIDES).some(
    // Safe because these are names of the values.
    (name) => values[name as keyof OverrideValues].length > 0,
  )
  if (!hasOverrides) return []
  const rules = await loadExtra('override-rules', () => import('./override-rules.ts'))
  return rules?.overrideProblems(values) ?? []
}

/** The key of a new channel. */
export const keyOf = ({ type, key }: Pick<ChannelValues, 'type' | 'key'>): string =>
  isEmpty(key) ? (descriptorOf(type)?.usualKey ?? '') : visibleText(key)

export const newChannelForm = formOf((values) =>
  (['name', 'key'] as const)
    .filter((name) => isEmpty(name === 'key' ? keyOf(values) : values[name]))
    .map((name) => ({ name, key: `channelForm.${name}Error` })),
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
      problems.push({ name: 'key', key: 'channelForm.keyAgain' })
    }
    if (isMoved(before, values)) problems.push(...hiddenValues(values))
    return problems
  })

/** Stored values of headers go to their own server only. */
const hiddenValues = ({ headers }: ChannelValues): Problem[] =>
  headers.flatMap(({ value }, index): Problem[] =>
    value === HIDDEN
      ? [
          {
            name: 'headers',
            path: ['headers', index, 'value'],
            key: 'advanced.field.headerAgain',
          },
        ]
      : [],
  )

export const newChannelValues: ChannelValues = {
  type: 1,
  name: '',
  groups: ['default'],
  tag: '',
  models: [],
  key: '',
  multi_key: false,
  base_url: '',
  other: '',
  model_mapping: '',
  proxy: '',
  config: '',
  ...NO_OVERRIDES,
  priority: 0,
  weight: 0,
}

export const valuesOf = (channel: Channel): ChannelValues => ({
  type: channel.type,
  name: channel.name,
  groups: splitList(channel.group),
  tag: channel.tag,
  models: splitList(channel.models),
  key: '',
  multi_key: false,
  base_url: channel.base_url,
  other: channel.other,
  model_mapping: channel.model_mapping,
  proxy: proxyIn(channel.config),
  config: channel.config,
  ...overridesIn(channel.config),
  priority: channel.priority,
  weight: channel.weight,
})

/** The form of a copy; values that are not shown are entered again. */
export function copyOf(channel: Channel): ChannelValues {
  const values = valuesOf(channel)
  return { ...values, ...withoutHidden(values) }
}

/** The form's name of a field of the API. No field shows the whole of `config`. */
export function fieldOf(path: string): string {
  if (path === 'group') return 'groups'
  return path.startsWith('config') ? path.slice('config.'.length) : path
}

/** Body of an edit: lists joined, empty type-specific fields replaced by their defaults. */
export function editOf({
  groups,
  models,
  multi_key: _multiKey,
  proxy,
  config,
  headers,
  set_parameters,
  remove_parameters,
  apis,
  card,
  cost,
  priority: first,
  weight: share,
  ...rest
}: ChannelValues) {
  const edited = { proxy, headers, set_parameters, remove_parameters, apis, card, cost }
  const field = descriptorOf(rest.type)?.fields.find(({ name }) => name === 'other')
  return {
    ...rest,
    key: visibleText(rest.key),
    name: rest.name.trim(),
    tag: rest.tag.trim(),
    base_url: bareAddress(rest.base_url),
    other: isEmpty(rest.other) ? (field?.default ?? '') : rest.other,
    group: groups.length === 0 ? 'default' : groups.join(','),
    models: models.join(','),
    config: configOf(config, edited),
    ...(first !== '' && { priority: first }),
    ...(share !== '' && { weight: Math.max(0, share) }),
  }
}

export const draftOf = (values: ChannelValues) => ({
  ...editOf(values),
  key: keyOf(values),
  multi_key: values.multi_key,
})

const bareAddress = (address: string) => address.trim().replace(/\/+$/, '')

/** Distinct keys in the field, one per line. */
export function countKeys(text: string): number {
  const lines = text.split('\n').map((line) => line.trim())
  return new Set(lines.filter((line) => line !== '')).size
}
