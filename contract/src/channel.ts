import { z } from 'zod'
import { endpoint, idParams, keywordQuery, namedOrder, orderedPageFields } from './endpoint.ts'
import { rule } from './problem.ts'
import { routeEntrySchema, routeQuery } from './route-plan.ts'
import { id, milliseconds, quota, seconds } from './units.ts'
import { addressFaultOf, requestAddress } from './web-address.ts'

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const

export const channelSchema = z.object({
  id,
  type: z.int(),
  /** Always empty: a key is never shown again. */
  key: z.literal(''),
  status: z.int(),
  /** Why the gateway disabled it; empty otherwise. */
  status_reason: z.string(),
  /** Since when it has this status; 0 when that is not known. */
  status_time: seconds,
  name: z.string(),
  weight: z.int(),
  created_time: seconds,
  test_time: seconds,
  /** Of the last test that passed; 0 before the first. */
  response_time: milliseconds,
  /** Why the last test did not pass; empty otherwise. */
  test_error: z.string(),
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

/** Whether the text is a JSON object with such values; no text at all is fine too. */
const isJsonObject = (text: string, isValue: (value: unknown) => boolean) => {
  if (text === '') return true
  try {
    const object: unknown = JSON.parse(text)
    return (
      typeof object === 'object' &&
      object !== null &&
      !Array.isArray(object) &&
      Object.values(object).every(isValue)
    )
  } catch {
    return false
  }
}

/** Some forms send an empty field as the JSON of nothing, others as blanks. */
const jsonText = (most: number) =>
  z
    .string()
    .max(most)
    .transform((text) => (['', '""', 'null'].includes(text.trim()) ? '' : text))

const isModelName = (value: unknown) => typeof value === 'string' && value !== ''

const PROXY = /^(?:https?|socks5h?):\/\/[^\s/]+/i

/** Whether this is the address of a proxy that channels can be reached through; empty is none. */
export const isProxyAddress = (address: string) =>
  address === '' ||
  (PROXY.test(address) && addressFaultOf(address) === null && URL.canParse(address))

function hasUsableProxy(config: string): boolean {
  if (!isJsonObject(config, () => true) || config === '') return true
  const { proxy = '' } = JSON.parse(config) as { proxy?: unknown } // Safe because it was checked to be an object.
  return typeof proxy === 'string' && isProxyAddress(proxy)
}

const PRIORITY_MAX = 1_000_000

const fields = {
  name: z.string().trim().max(100),
  key: z.string().max(100_000),
  models: z.string().max(100_000),
  group: z.string().max(1000),
  base_url: requestAddress,
  other: z.string().max(10_000),
  model_mapping: jsonText(50_000).refine(
    (text) => isJsonObject(text, isModelName),
    rule('must be a JSON object whose values are model names', '必须是值为模型名称的 JSON 对象'),
  ),
  priority: z.int().min(-PRIORITY_MAX).max(PRIORITY_MAX),
  weight: z
    .int()
    .max(PRIORITY_MAX)
    .transform((weight) => Math.max(0, weight)),
  config: jsonText(10_000)
    .refine(
      (text) => isJsonObject(text, () => true),
      rule('must be a JSON object', '必须是 JSON 对象'),
    )
    .refine(
      hasUsableProxy,
      rule(
        'must have as "proxy" an address that begins with http://, https:// or socks5:// and has no "#", "?", space or backslash',
        '中的 "proxy" 必须以 http://、https:// 或 socks5:// 开头，且不能包含“#”、“?”、空格或反斜杠',
      ),
    ),
}

/** `key` holds one key per line; each becomes a channel of its own, unless `multi_key` keeps them in one. */
export const channelDraft = z.object({
  type: z.int().min(1),
  name: fields.name.min(1),
  key: fields.key.refine((text) => text.trim() !== '', rule('must not be empty', '不能为空')),
  models: fields.models.refine(
    (text) => text.trim() !== '',
    rule('must have at least one model', '至少需要一个模型'),
  ),
  group: fields.group.default('default'),
  /** Rows that come from another installation keep theirs; 0 is what some of them say for 1. */
  status: z
    .literal([0, 1, 2, 3])
    .default(1)
    .transform((status) => (status === 0 ? CHANNEL_STATUS.enabled : status)),
  base_url: fields.base_url.default(''),
  other: fields.other.default(''),
  model_mapping: fields.model_mapping.default(''),
  priority: fields.priority.default(0),
  weight: fields.weight.default(0),
  config: fields.config.default(''),
  multi_key: z.boolean().default(false),
})

/** By an empty field clients of this family mean one that they leave out. */
const unlessEmpty = <Value extends string | number>(value: Value) =>
  value === '' || value === 0 ? undefined : value

/**
 * Any subset; an empty name, type, status, key, list of models or of groups keeps the old one. Several lines of
 * `key` are several keys of this one channel.
 */
export const channelEdit = z.object({
  id,
  type: z.int().min(0).transform(unlessEmpty).optional(),
  name: fields.name.transform(unlessEmpty).optional(),
  key: fields.key.optional(),
  /** 3 comes with whole rows that are sent back and changes nothing. */
  status: z.literal([0, 1, 2, 3]).transform(unlessEmpty).optional(),
  models: fields.models.transform(unlessEmpty).optional(),
  group: fields.group.transform(unlessEmpty).optional(),
  base_url: fields.base_url.optional(),
  other: fields.other.optional(),
  model_mapping: fields.model_mapping.optional(),
  priority: fields.priority.optional(),
  weight: fields.weight.optional(),
  config: fields.config.optional(),
})

/** Where models are asked for: what a form says so far; without a key that of the stored channel is used. */
export const modelSource = z.object({
  id: id.optional(),
  type: z.int().min(1),
  key: fields.key.default(''),
  base_url: fields.base_url.default(''),
  config: fields.config.default(''),
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

/** Numbers between commas; none of them stand for all. */
const numbers = () =>
  z
    .string()
    .max(500)
    .refine(
      (text) => /^(?:\d{1,9}(?:,\d{1,9})*)?$/.test(text),
      rule('must be whole numbers with commas between', '必须是以逗号分隔的整数'),
    )
    .default('')
    .transform((text) => (text === '' ? [] : text.split(',').map(Number)))

const filterFields = { status: numbers(), type: numbers() }

/** A keyword, among the channels of some statuses and types. */
const channelSearchQuery = keywordQuery.extend(filterFields)

const modelEntry = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: seconds,
  owned_by: z.string(),
  root: z.string(),
  parent: z.null(),
})

/** A run over many channels, the current one or the last; all 0 before the first. */
export const bulkProgressSchema = z.object({
  running: z.boolean(),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Epoch seconds; 0 before the first run, and `ended_at` while one is running. */
  started_at: seconds,
  ended_at: seconds,
})

export type BulkProgress = z.output<typeof bulkProgressSchema>

export const channelEndpoints = {
  listChannels: endpoint('GET', '/api/channel/', 'admin', {
    query: z
      .object({ ...orderedPageFields(CHANNEL_SORTS), ...filterFields })
      .transform(namedOrder(CHANNEL_SORTS)),
    data: z.array(channelSchema),
  }),
  searchChannels: endpoint('GET', '/api/channel/search', 'admin', {
    query: channelSearchQuery,
    data: z.array(channelSchema),
  }),
  listCatalogueModels: endpoint('GET', '/api/channel/models', 'admin', {
    data: z.array(modelEntry),
    beside: z.object({ object: z.literal('list') }),
  }),
  /** Who would serve this, in what order, and why not the others; nothing is sent to anybody. */
  planRoute: endpoint('GET', '/api/channel/route', 'admin', {
    query: routeQuery,
    data: z.array(routeEntrySchema),
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
  /**
   * `data` and `time` are seconds, and the message is the reply. `model` was asked, the channel's first where it
   * does not have `modelName`; a failure has these too, and 0 as `time`.
   */
  testChannel: endpoint('GET', '/api/channel/test/:id', 'admin', {
    params: idParams,
    query: z.object({ model: z.string().max(200).optional() }),
    data: z.number(),
    beside: z.object({ time: z.number(), model: z.string(), modelName: z.string() }),
    changesState: true,
  }),
  /** Asks the provider which models it offers, and tells which of them have no price. */
  fetchModels: endpoint('POST', '/api/channel/fetch_models', 'admin', {
    body: modelSource,
    data: z.object({ models: z.array(z.string()), unpriced: z.array(z.string()) }),
  }),
  /** Starts testing in the background; one run at a time. */
  testChannels: endpoint('GET', '/api/channel/test', 'admin', {
    query: z.object({
      scope: z
        .enum(['all', 'disabled', ''])
        .default('all')
        .transform((scope) => (scope === '' ? 'all' : scope)),
    }),
    changesState: true,
  }),
  getTestProgress: endpoint('GET', '/api/channel/test/progress', 'admin', {
    data: bulkProgressSchema,
  }),
  /** Deletes every channel that is disabled, by hand or by the gateway; answers how many. */
  deleteDisabledChannels: endpoint('DELETE', '/api/channel/disabled', 'admin', { data: z.int() }),
  /** Asks the provider; the unit is the provider's own. */
  updateBalance: endpoint('GET', '/api/channel/update_balance/:id', 'admin', {
    params: idParams,
    data: z.number(),
    beside: z.object({ balance: z.number() }),
    changesState: true,
  }),
  /** Starts asking for the balance of every enabled channel whose provider tells it, in the background. */
  updateBalances: endpoint('GET', '/api/channel/update_balance', 'admin', { changesState: true }),
} as const

export const modelEndpoints = {
  /** Channel type id → the model names its provider is known to offer. */
  listModels: endpoint('GET', '/api/models', 'user', {
    data: z.record(z.string(), z.array(z.string())),
  }),
  listGroups: endpoint('GET', '/api/group/', 'admin', { data: z.array(z.string()) }),
} as const
