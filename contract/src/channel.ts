import { z } from 'zod'
import { endpoint, idParams, keywordQuery, pageQuery } from './endpoint.ts'
import { rule } from './problem.ts'
import { id, milliseconds, quota, seconds } from './units.ts'

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const

export const channelSchema = z.object({
  id,
  type: z.int(),
  /** Always empty: a key is never shown again. */
  key: z.literal(''),
  status: z.int(),
  /** Why the gateway disabled it; empty otherwise. */
  status_reason: z.string(),
  name: z.string(),
  weight: z.int(),
  created_time: seconds,
  test_time: seconds,
  response_time: milliseconds,
  base_url: z.string(),
  other: z.string(),
  balance: z.number(),
  balance_updated_time: seconds,
  models: z.string(),
  group: z.string(),
  used_quota: quota,
  model_mapping: z.string(),
  priority: z.int(),
  config: z.string(),
})

export type Channel = z.output<typeof channelSchema>

const isJsonMap = (text: string) => {
  try {
    const value: unknown = JSON.parse(text)
    return (
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((name) => typeof name === 'string' && name !== '')
    )
  } catch {
    return false
  }
}

const PRIORITY_MAX = 1_000_000

const isWebAddress = (text: string) => /^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text)

const fields = {
  name: z.string().trim().min(1).max(100),
  key: z.string().max(100_000),
  models: z.string().max(100_000),
  group: z.string().max(1000),
  base_url: z
    .string()
    .trim()
    .max(500)
    .transform((url) => url.replace(/\/+$/, ''))
    .refine(
      (url) => url === '' || isWebAddress(url),
      rule('an address that begins with http:// or https://', '必须以 http:// 或 https:// 开头'),
    ),
  other: z.string().max(10_000),
  model_mapping: z
    .string()
    .max(50_000)
    .refine(
      (text) => text.trim() === '' || isJsonMap(text),
      rule('a JSON object whose values are model names', '必须是值为模型名称的 JSON 对象'),
    ),
  priority: z.int().min(-PRIORITY_MAX).max(PRIORITY_MAX),
  weight: z
    .int()
    .max(PRIORITY_MAX)
    .transform((weight) => Math.max(0, weight)),
  config: z.string().max(10_000),
}

/** `key` holds one key per line; each line becomes a channel of its own. */
export const channelDraft = z.object({
  type: z.int().min(1),
  name: fields.name,
  key: fields.key.refine((text) => text.trim() !== '', rule('must not be empty', '不能为空')),
  models: fields.models.refine(
    (text) => text.trim() !== '',
    rule('at least one model', '至少需要一个模型'),
  ),
  group: fields.group.default('default'),
  base_url: fields.base_url.nullish().transform((text) => text ?? ''),
  other: fields.other.nullish().transform((text) => text ?? ''),
  model_mapping: fields.model_mapping.nullish().transform((text) => text ?? ''),
  priority: fields.priority.nullish().transform((number) => number ?? 0),
  weight: fields.weight.nullish().transform((number) => number ?? 0),
  config: fields.config.nullish().transform((text) => text ?? ''),
})

/** Any subset; an empty key keeps the old one. */
export const channelEdit = z.object({
  id,
  type: z.int().min(1).optional(),
  name: fields.name.optional(),
  key: fields.key.optional(),
  /** 3 comes with whole rows that are sent back and changes nothing. */
  status: z.literal([1, 2, 3]).optional(),
  models: fields.models.optional(),
  group: fields.group.optional(),
  base_url: fields.base_url.optional(),
  other: fields.other.optional(),
  model_mapping: fields.model_mapping.optional(),
  priority: fields.priority.optional(),
  weight: fields.weight.optional(),
  config: fields.config.optional(),
})

export const CHANNEL_SORTS = [
  'id',
  'name',
  'type',
  'status',
  'response_time',
  'balance',
  'priority',
  'weight',
  'used_quota',
] as const

const modelEntry = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: seconds,
  owned_by: z.string(),
  root: z.string(),
  parent: z.null(),
})

export const channelEndpoints = {
  listChannels: endpoint('GET', '/api/channel/', 'admin', {
    query: pageQuery(CHANNEL_SORTS),
    data: z.array(channelSchema),
  }),
  searchChannels: endpoint('GET', '/api/channel/search', 'admin', {
    query: keywordQuery,
    data: z.array(channelSchema),
  }),
  listCatalogueModels: endpoint('GET', '/api/channel/models', 'admin', {
    data: z.array(modelEntry),
    beside: z.object({ object: z.literal('list') }),
  }),
  getChannel: endpoint('GET', '/api/channel/:id', 'admin', {
    params: idParams,
    data: channelSchema,
  }),
  createChannels: endpoint('POST', '/api/channel/', 'admin', {
    body: channelDraft,
    data: z.array(channelSchema),
  }),
  updateChannel: endpoint('PUT', '/api/channel/', 'admin', {
    body: channelEdit,
    data: channelSchema,
  }),
  deleteChannel: endpoint('DELETE', '/api/channel/:id', 'admin', { params: idParams }),
  /** `data` and `time` are seconds; both spellings of the model stand beside it for old clients. */
  testChannel: endpoint('GET', '/api/channel/test/:id', 'admin', {
    params: idParams,
    query: z.object({ model: z.string().max(200).optional() }),
    data: z.number(),
    beside: z.object({ time: z.number(), model: z.string(), modelName: z.string() }),
    changesState: true,
  }),
} as const

export const modelEndpoints = {
  /** Channel type id → the model names its provider is known to offer. */
  listModels: endpoint('GET', '/api/models', 'user', {
    data: z.record(z.string(), z.array(z.string())),
  }),
  listGroups: endpoint('GET', '/api/group/', 'admin', { data: z.array(z.string()) }),
} as const
