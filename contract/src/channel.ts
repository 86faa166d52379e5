import { z } from 'zod'
import { channelFileEndpoints } from './channel-files.ts'
import { channelHealthSchema, HEALTH_WORDS } from './channel-health.ts'
import { channelKeyEndpoints } from './channel-keys.ts'
import { TEST_ENDPOINTS, TEST_OUTCOMES } from './channel-test.ts'
import { channelTrafficEndpoints } from './channel-traffic.ts'
import { endpoint, idParams, keywordQuery, namedOrder, orderedPageFields } from './endpoint.ts'
import { rule } from './problem.ts'
import { routeEntrySchema, routeQuery } from './route-plan.ts'
import { id, milliseconds, quota, seconds } from './units.ts'
import { addressFaultOf, requestAddress } from './web-address.ts'

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const

export const channelSchema = z.object({
  id,
  type: z.int(),
  /** Always empty: the API never returns a stored key. */
  key: z.literal(''),
  status: z.int(),
  /** Why the gateway disabled the channel; empty otherwise. */
  status_reason: z.string(),
  /** When `status` last changed; 0 if unknown. */
  status_time: seconds,
  name: z.string(),
  weight: z.int(),
  created_time: seconds,
  test_time: seconds,
  /** Response time of the last successful test; 0 before the first. */
  response_time: milliseconds,
  /** Why the last test failed or could not be made; empty otherwise. */
  test_error: z.string(),
  test_outcome: z.enum(TEST_OUTCOMES),
  /** What the last test asked: the model, and the endpoint, which is empty if none was asked. */
  test_model: z.string(),
  test_endpoint: z.string(),
  base_url: z.string(),
  other: z.string(),
  balance: z.number(),
  balance_updated_time: seconds,
  models: z.string(),
  group: z.string(),
  /** A word of the operator's own, by which channels are found and edited together; or empty. */
  tag: z.string(),
  used_quota: quota,
  model_mapping: z.string(),
  priority: z.int(),
  config: z.string(),
  /** Models that their vendor has shut down, with the first day without them. */
  shut_models: z.array(z.object({ model: z.string(), day: z.string() })),
  health: channelHealthSchema,
  /**
   * How many days `balance` lasts at the rate of the last seven days; null
   * where there is too little use, or the value of the balance in dollars is not known.
   */
  days_left: z.number().nullable().default(null),
})

export type Channel = z.output<typeof channelSchema>

/** Empty text counts as valid. */
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

/** Some clients send an empty field as `""` or `null` in JSON, others as blanks. */
const jsonText = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .transform((text) => (['', '""', 'null'].includes(text.trim()) ? '' : text))

const isModelName = (value: unknown) => typeof value === 'string' && value !== ''

const PROXY = /^(?:https?|socks5h?):\/\/[^\s/]+/i

/** Accepts a proxy URL, or empty text for no proxy. */
export const isProxyAddress = (address: string) =>
  address === '' ||
  (PROXY.test(address) && addressFaultOf(address) === null && URL.canParse(address))

function hasUsableProxy(config: string): boolean {
  if (!isJsonObject(config, () => true) || config === '') return true
  // Safe because the text was checked to be a JSON object.
  const { proxy = '' } = JSON.parse(config) as { proxy?: unknown }
  return typeof proxy === 'string' && isProxyAddress(proxy)
}

const PRIORITY_MAX = 1_000_000
/** In characters. */
export const CHANNEL_TAG_MAX = 50

const fields = {
  name: z.string().trim().max(100),
  key: z.string().max(100_000),
  models: z.string().max(100_000),
  group: z.string().max(1000),
  tag: z.string().trim().max(CHANNEL_TAG_MAX),
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
  /** `channel-settings.ts` has the rules of its members, which most pages do not need. */
  config: jsonText(20_000)
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
    )
    .meta({
      en: 'JSON: proxy, headers (name: value), set_parameters (path: value), remove_parameters (paths), apis (chat, responses), card (model: limits, reasoning, reasoningBack, sampling, tools, content), cost (factor, group_ratio, models, reported)',
      zh: 'JSON：proxy、headers（名称: 值）、set_parameters（路径: 值）、remove_parameters（路径列表）、apis（chat、responses）、card（模型: limits、reasoning、reasoningBack、sampling、tools、content）、cost（factor、group_ratio、models、reported）',
    }),
}

/** `key` holds one key per line. Each key becomes a separate channel, unless `multi_key` is set. */
export const channelDraft = z.object({
  type: z.int().min(1),
  name: fields.name.min(1),
  key: fields.key.refine((text) => text.trim() !== '', rule('must not be empty', '不能为空')),
  models: fields.models.refine(
    (text) => text.trim() !== '',
    rule('must have at least one model', '至少需要一个模型'),
  ),
  group: fields.group.default('default'),
  /** New API sends null for no tag. */
  tag: fields.tag
    .nullable()
    .default('')
    .transform((tag) => tag ?? ''),
  /** Rows imported from another installation keep their status. Some send 0 for 1 (enabled). */
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

/** Clients of this API family send an empty value for a field they leave unchanged. */
const unlessEmpty = <Value extends string | number>(value: Value) =>
  value === '' || value === 0 ? undefined : value

/**
 * Any subset of the fields. An empty name, type, status, key, model list or group list keeps the
 * stored value. Several lines of `key` are several keys of this channel.
 */
export const channelEdit = z.object({
  id,
  type: z.int().min(0).transform(unlessEmpty).optional(),
  name: fields.name.transform(unlessEmpty).optional(),
  key: fields.key.optional(),
  /** Clients that send a whole row back include 3, which changes nothing. */
  status: z.literal([0, 1, 2, 3]).transform(unlessEmpty).optional(),
  models: fields.models.transform(unlessEmpty).optional(),
  group: fields.group.transform(unlessEmpty).optional(),
  /** Empty removes the tag; null, which clients of New API send, keeps it. */
  tag: fields.tag
    .nullable()
    .transform((tag) => tag ?? undefined)
    .optional(),
  base_url: fields.base_url.optional(),
  other: fields.other.optional(),
  model_mapping: fields.model_mapping.optional(),
  priority: fields.priority.optional(),
  weight: fields.weight.optional(),
  config: fields.config.optional(),
})

/**
 * Form values to list a provider's models with. Without a key, the stored channel's key is used.
 */
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
  'group',
  'tag',
  'test_time',
  'created_time',
  'models',
  'health',
  'success',
  'margin',
] as const

export type ChannelSort = (typeof CHANNEL_SORTS)[number]

/** Comma-separated integers; an empty list matches everything. */
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

/** Comma-separated words; an empty list matches everything. */
const healthWords = z
  .string()
  .max(100)
  .default('')
  .transform((text) => (text === '' ? [] : text.split(',')))
  .pipe(z.array(z.enum(HEALTH_WORDS)))

const filterFields = {
  status: numbers(),
  type: numbers(),
  health: healthWords,
  /** A group that the channel serves; empty for any. */
  group: z.string().max(100).default(''),
  /** The channel's tag; empty for any. */
  tag: z.string().max(CHANNEL_TAG_MAX).default(''),
  /** A model that the channel serves, by its whole name; empty for any. */
  model: z.string().max(200).default(''),
}

const channelSummary = z.object({
  /** Channels by the word for their health; words without channels have 0. */
  health: z.record(z.enum(HEALTH_WORDS), z.int()),
  /** What channels serve, for filters. */
  groups: z.array(z.string()),
  models: z.array(z.string()),
  tags: z.array(z.string()),
})

const channelSearchQuery = keywordQuery.extend(filterFields)

const modelEntry = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: seconds,
  owned_by: z.string(),
  root: z.string(),
  parent: z.null(),
})

/** Progress of the current or last bulk run; all 0 before the first. */
export const bulkProgressSchema = z.object({
  running: z.boolean(),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Epoch seconds; 0 before the first run. `ended_at` is 0 while a run is active. */
  started_at: seconds,
  ended_at: seconds,
})

export type BulkProgress = z.output<typeof bulkProgressSchema>

export const channelEndpoints = {
  listChannels: endpoint('GET', '/api/channel/', 'admin', {
    query: z
      .object({
        ...orderedPageFields(CHANNEL_SORTS),
        ...filterFields,
        keyword: keywordQuery.shape.keyword,
      })
      .transform(namedOrder(CHANNEL_SORTS)),
    data: z.array(channelSchema),
  }),
  /** Counts the channels that the other filters match, and lists what can be filtered by. */
  summarizeChannels: endpoint('GET', '/api/channel/summary', 'admin', {
    query: channelSearchQuery,
    data: channelSummary,
  }),
  searchChannels: endpoint('GET', '/api/channel/search', 'admin', {
    query: channelSearchQuery,
    data: z.array(channelSchema),
  }),
  listCatalogueModels: endpoint('GET', '/api/channel/models', 'admin', {
    data: z.array(modelEntry),
    extra: z.object({ object: z.literal('list') }),
  }),
  /**
   * Explains routing: which channels would serve the request, in what order, and why the rest would
   * not. Sends nothing upstream.
   */
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
   * `data` and `time` are seconds; the message is the reply. `model` is the tested model: the best
   * to test if the channel does not serve `modelName`. `endpoint` is the endpoint that answered,
   * which by default is that of the model. A failure has these fields too, with `time` 0.
   */
  testChannel: endpoint('GET', '/api/channel/test/:id', 'admin', {
    params: idParams,
    query: z.object({
      model: z.string().max(200).optional(),
      endpoint: z.enum(TEST_ENDPOINTS).optional(),
      /** The id of a key, which is tested alone; the result is not kept. */
      key_id: z.string().max(100).optional(),
    }),
    data: z.number(),
    extra: z.object({
      time: z.number(),
      model: z.string(),
      modelName: z.string(),
      endpoint: z.string(),
    }),
    changesState: true,
  }),
  /** Asks the provider which models it offers. `unpriced` lists those without a price. */
  fetchModels: endpoint('POST', '/api/channel/fetch_models', 'admin', {
    body: modelSource,
    data: z.object({ models: z.array(z.string()), unpriced: z.array(z.string()) }),
  }),
  /** Starts the tests in the background; one run at a time. */
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
  /** Deletes every disabled channel, including auto-disabled ones. Returns their number. */
  deleteDisabledChannels: endpoint('DELETE', '/api/channel/disabled', 'admin', { data: z.int() }),
  /** Reads the balance from the provider, in the provider's own unit. */
  updateBalance: endpoint('GET', '/api/channel/update_balance/:id', 'admin', {
    params: idParams,
    data: z.number(),
    extra: z.object({ balance: z.number() }),
    changesState: true,
  }),
  ...channelKeyEndpoints,
  ...channelTrafficEndpoints,
  ...channelFileEndpoints,
  /** Refreshes balances in the background: every enabled channel whose provider reports one. */
  updateBalances: endpoint('GET', '/api/channel/update_balance', 'admin', { changesState: true }),
} as const
