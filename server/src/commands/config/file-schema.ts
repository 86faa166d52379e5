import { z } from 'zod'
import {
  CHANNEL_TAG_MAX,
  channelDraft,
  groupName,
  type OptionKey,
  optionKeys,
  OPTIONS,
  ownPriceSchema,
  ratio,
  rule,
} from '@tollgate/contract'
import { CHANNEL_TYPES } from './channel-types.ts'

/** Where the value of a secret is found when the file is applied. */
const REFERENCE = /^(?:env:[A-Za-z_]\w*|file:\/.+)$/

export const isReference = (text: string) => REFERENCE.test(text)

const reference = z
  .string()
  .regex(
    REFERENCE,
    rule(
      'must be a reference such as env:OPENAI_KEY or file:/run/secrets/openai',
      '必须是引用，例如 env:OPENAI_KEY 或 file:/run/secrets/openai',
    ),
  )
  .meta({ examples: ['env:OPENAI_KEY', 'file:/run/secrets/openai'] })

/** Options of a caller's limits, and of a group's, by the name of the limit. */
export const USER_LIMITS = {
  requests_per_minute: 'UserRequestsPerMinute',
  tokens_per_minute: 'UserTokensPerMinute',
  concurrent_requests: 'UserConcurrentRequests',
} as const satisfies Record<string, OptionKey>

export const TOKEN_LIMITS = {
  requests_per_minute: 'TokenRequestsPerMinute',
  tokens_per_minute: 'TokenTokensPerMinute',
  concurrent_requests: 'TokenConcurrentRequests',
} as const satisfies Record<string, OptionKey>

export const GROUP_TABLES = {
  ratio: 'GroupRatio',
  requests_per_minute: 'GroupRequestsPerMinute',
  tokens_per_minute: 'GroupTokensPerMinute',
  concurrent_requests: 'GroupConcurrentRequests',
} as const satisfies Record<string, OptionKey>

/** Own prices as the option tables hold them. */
export const PRICE_TABLES = {
  model: 'ModelRatio',
  completion: 'CompletionRatio',
  cache: 'CacheRatio',
  cache_write: 'CacheWriteRatio',
  audio: 'AudioRatio',
  audio_completion: 'AudioCompletionRatio',
  image: 'ImageRatio',
  per_call: 'ModelPrice',
} as const satisfies Record<string, OptionKey>

/** Options with a section of their own in the file. */
const ELSEWHERE: ReadonlyMap<OptionKey, string> = new Map([
  ...Object.values(USER_LIMITS).map((key) => [key, 'limits.user'] as const),
  ...Object.values(TOKEN_LIMITS).map((key) => [key, 'limits.token'] as const),
  ...Object.values(GROUP_TABLES).map((key) => [key, 'groups'] as const),
  ...Object.values(PRICE_TABLES).map((key) => [key, 'prices'] as const),
])

/** The section that an option is written in instead of `options`. */
export const sectionOf = (key: string): string | undefined =>
  // Safe because the map answers undefined for any other text.
  ELSEWHERE.get(key as OptionKey)

export const fileOptionKeys = optionKeys.filter((key) => !ELSEWHERE.has(key))

/** The value of the option is exported as a reference, and not printed. */
export const isSecretInFile = (key: OptionKey) =>
  OPTIONS[key].secret === true || OPTIONS[key].tokenInPath === true

function optionSchema(key: OptionKey): z.ZodType {
  const { secret, tokenInPath, schema } = OPTIONS[key]
  if (secret === true) return reference
  return tokenInPath === true ? z.union([reference, schema]) : schema
}

const described = (key: OptionKey, schema: z.ZodType) =>
  schema.optional().meta({ description: OPTIONS[key].label.en })

const options = z
  .strictObject(
    Object.fromEntries(fileOptionKeys.map((key) => [key, described(key, optionSchema(key))])),
  )
  .default({})

const limitsOf = (table: Readonly<Record<keyof typeof USER_LIMITS, OptionKey>>) =>
  z
    .strictObject({
      requests_per_minute: OPTIONS[table.requests_per_minute].schema,
      tokens_per_minute: OPTIONS[table.tokens_per_minute].schema,
      concurrent_requests: OPTIONS[table.concurrent_requests].schema,
    })
    .exactPartial()

const groupLimit = OPTIONS.UserRequestsPerMinute.schema.exactOptional()

const group = z.strictObject({
  /** Price factor for the users of the group. */
  ratio: ratio.exactOptional(),
  requests_per_minute: groupLimit,
  tokens_per_minute: groupLimit,
  concurrent_requests: groupLimit,
})

const [tokenPrice, callPrice] = ownPriceSchema.options

const ratios = z
  .strictObject({
    model: ratio,
    completion: ratio,
    cache: ratio,
    cache_write: ratio,
    audio: ratio,
    audio_completion: ratio,
    image: ratio,
    per_call: callPrice.shape.per_call,
  })
  .exactPartial()

/** Dollars of a call, ratios, or dollars per million tokens. */
const price = z.union([callPrice.strict(), z.strictObject({ ratios }), tokenPrice.strict()])

const model = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !name.includes(','), rule('must have no comma', '不能包含逗号'))

const draft = channelDraft.shape
const address = z.union([reference, draft.base_url])

const channel = z.strictObject({
  /** Names the channel: the file must not have the name twice. */
  name: draft.name,
  type: z.union([z.int().min(1), z.string().meta({ enum: CHANNEL_TYPES })]),
  key: reference.exactOptional(),
  keys: z.array(reference).min(1).max(500).exactOptional(),
  models: z.array(model).min(1).max(1000),
  groups: z.array(groupName).min(1).max(50).default(['default']),
  tag: z.string().trim().max(CHANNEL_TAG_MAX).default(''),
  base_url: address.default(''),
  other: draft.other,
  model_mapping: z.record(z.string().min(1), z.string().min(1)).default({}),
  priority: draft.priority,
  weight: z.int().min(0).max(1_000_000).default(0),
  /** Left out, the file does not decide whether the channel is enabled. */
  status: z.enum(['enabled', 'disabled']).exactOptional(),
  /** As the console's form: proxy, headers, parameters, cards, costs. */
  config: z.record(z.string(), z.unknown()).default({}),
})

export type FileChannel = z.output<typeof channel>

const CHANNELS_MAX = 1000
const MODELS_MAX = 5000

export const configFile = z.strictObject({
  version: z.literal(1),
  /** The console and the API then refuse to change what this file manages. */
  locked: z.boolean().default(false),
  groups: z.record(groupName, group).default({}),
  prices: z
    .record(model, price)
    .refine(
      (table) => Object.keys(table).length <= MODELS_MAX,
      rule(`must have at most ${MODELS_MAX} models`, `最多 ${MODELS_MAX} 个模型`),
    )
    .default({}),
  limits: z
    .strictObject({ user: limitsOf(USER_LIMITS), token: limitsOf(TOKEN_LIMITS) })
    .exactPartial()
    .default({}),
  options,
  channels: z.array(channel).max(CHANNELS_MAX).default([]),
})

export type ConfigFile = z.output<typeof configFile>
export type FilePrice = z.output<typeof price>
export type FileGroup = z.output<typeof group>

/** For editors: what a file may contain. */
export const jsonSchema = () => ({
  title: 'Tollgate configuration',
  ...z.toJSONSchema(configFile, { io: 'input', unrepresentable: 'any' }),
})
