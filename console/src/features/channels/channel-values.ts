import { z } from 'zod'
import { type Channel, channelEdit } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import type { MessageKey } from '../../i18n/types.ts'
import { checked } from '../../lib/form.ts'
import { splitList } from '../../lib/format.ts'

const { base_url, model_mapping, priority, weight } = channelEdit.shape

const message = (key: MessageKey) => ({ error: key })
const passes = (schema: z.ZodType) => (value: unknown) => schema.safeParse(value).success

const fields = z.object({
  type: z.number(),
  name: z.string().trim().max(100, message('channel.form.nameLong')),
  groups: z.array(z.string()),
  models: z.array(z.string()).min(1, message('channel.form.modelsError')),
  key: z.string(),
  base_url: z.string().trim().refine(passes(base_url), message('channel.form.addressError')),
  other: z.string(),
  model_mapping: z.string().refine(passes(model_mapping), message('channel.form.mappingError')),
  priority: checked(priority.unwrap(), 'channel.form.numberError'),
  weight: checked(weight.unwrap(), 'channel.form.numberError'),
})

export type ChannelValues = z.output<typeof fields>

type Context = { value: ChannelValues; issues: z.core.$ZodRawIssue[] }

/** A field of the type that has no default must be filled in. */
function checkTypeFields({ value, issues }: Context) {
  for (const field of descriptorOf(value.type)?.fields ?? []) {
    if (!field.required || field.default !== undefined || value[field.name].trim() !== '') continue
    issues.push(issue(value, field.name, 'channel.form.fieldRequired'))
  }
}

const issue = (input: ChannelValues, path: keyof ChannelValues, key: MessageKey) => ({
  code: 'custom' as const,
  input,
  path: [path],
  message: key,
})

export const newChannelForm = fields.check(checkTypeFields, ({ value, issues }) => {
  for (const name of ['name', 'key'] as const) {
    if (value[name].trim() === '') issues.push(issue(value, name, 'channel.form.nameKeyError'))
  }
})

export const editChannelForm = fields.check(checkTypeFields, ({ value, issues }) => {
  if (value.name.trim() === '') issues.push(issue(value, 'name', 'common.form.required'))
})

export const newChannelValues: ChannelValues = {
  type: 1,
  name: '',
  groups: ['default'],
  models: [],
  key: '',
  base_url: '',
  other: '',
  model_mapping: '',
  priority: 0,
  weight: 0,
}

export const valuesOf = (channel: Channel): ChannelValues => ({
  type: channel.type,
  name: channel.name,
  groups: splitList(channel.group),
  models: splitList(channel.models),
  key: '',
  base_url: channel.base_url,
  other: channel.other,
  model_mapping: channel.model_mapping,
  priority: channel.priority,
  weight: channel.weight,
})

/** What is sent: lists joined, an empty field of the type replaced by its default. */
export function draftOf({ groups, models, ...rest }: ChannelValues) {
  const field = descriptorOf(rest.type)?.fields.find(({ name }) => name === 'other')
  return {
    ...rest,
    other: rest.other.trim() === '' ? (field?.default ?? '') : rest.other,
    weight: Math.max(0, rest.weight),
    group: groups.length === 0 ? 'default' : groups.join(','),
    models: models.join(','),
  }
}
