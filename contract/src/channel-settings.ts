import { z } from 'zod'
import type { InBoth } from './app-error.ts'
import { cardOverride } from './card-override.ts'
import { pathProblem, settingProblem } from './channel-parameters.ts'
import { firstProblem, parseIn, rule } from './problem.ts'

export { type CardOverride, EFFORTS } from './card-override.ts'

/*
 * The JSON object in the column `config` of a channel. Members of other names belong to other
 * installations, from which a database may have been imported; they are kept.
 */

const HEADERS_MAX = 30
const PARAMETERS_MAX = 50
const CARDS_MAX = 50

/** A part of what RFC 9110, 5.6.2, allows. */
const HEADER_NAME = /^[a-z\d][\w.-]*$/i
const VISIBLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** The gateway sets these headers for each request, or they belong to the connection. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'proxy-authorization',
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'accept',
  'accept-encoding',
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
])

const isOwnHeader = (name: string) =>
  OWN_HEADERS.has(name.toLowerCase()) || /^sec-websocket-/i.test(name)

const headerName = z
  .string()
  .max(100)
  .regex(
    HEADER_NAME,
    rule('must be the name of a header, such as X-Team', '必须是请求头名称，例如 X-Team'),
  )
  .refine(
    (name) => !isOwnHeader(name),
    rule('is a header that the gateway sets itself', '是由网关自行设置的请求头'),
  )

const headerValue = z
  .string()
  .max(4000)
  .regex(
    VISIBLE,
    rule(
      'must be text of ASCII characters without spaces at its ends',
      '必须是首尾不含空格的 ASCII 文本',
    ),
  )

const sizeOf = (record: object) => Object.keys(record).length

const headers = z
  .record(headerName, headerValue)
  .refine(
    (given) => sizeOf(given) <= HEADERS_MAX,
    rule(`must have at most ${HEADERS_MAX} headers`, `最多 ${HEADERS_MAX} 个请求头`),
  )
  .refine(
    (given) => new Set(Object.keys(given).map((name) => name.toLowerCase())).size === sizeOf(given),
    rule('must have each header once', '同一个请求头只能出现一次'),
  )

/** Names of members, from the outermost to the innermost. */
const parameterPath = z
  .string()
  .max(200)
  .regex(
    /^[a-z$][\w$-]*(?:\.[a-z$][\w$-]*){0,7}$/i,
    rule(
      'must be a name, or names with dots between, such as thinking.type',
      '必须是参数名，或以点连接的多级参数名，例如 thinking.type',
    ),
  )

type Report = (path: PropertyKey[], problem: InBoth | null) => void

const reportTo =
  (issues: { push: (issue: z.core.$ZodRawIssue) => unknown }): Report =>
  (path, problem) => {
    if (problem === null) return
    issues.push({ code: 'custom', input: undefined, path, message: problem.en, params: problem })
  }

const setParameters = z.record(parameterPath, z.unknown()).check(({ value, issues }) => {
  const report = reportTo(issues)
  for (const [path, given] of Object.entries(value)) report([path], settingProblem(path, given))
  report([], tooManyParameters(sizeOf(value)))
})

const removeParameters = z.array(parameterPath).check(({ value, issues }) => {
  const report = reportTo(issues)
  for (const [index, path] of value.entries()) report([index], pathProblem(path, 'remove'))
  report([], tooManyParameters(value.length))
})

const tooManyParameters = (count: number): InBoth | null =>
  count <= PARAMETERS_MAX
    ? null
    : {
        en: `must have at most ${PARAMETERS_MAX} parameters`,
        zh: `最多 ${PARAMETERS_MAX} 个参数`,
      }

/** OpenAI's APIs for text. */
export const APIS = ['chat', 'responses'] as const

/** The APIs that the channel's address offers; absent for what the gateway knows about it. */
const apis = z
  .array(z.enum(APIS))
  .min(1, rule('must name at least one API', '至少填写一个 API'))
  .max(APIS.length)

/** A model's name at the provider, in which `*` stands for any characters. */
const modelPattern = z.string().min(1).max(200)

const card = z
  .record(modelPattern, cardOverride)
  .refine(
    (given) => sizeOf(given) <= CARDS_MAX,
    rule(`must have at most ${CARDS_MAX} models`, `最多 ${CARDS_MAX} 个模型`),
  )

/** Dollars per million tokens, and dollars per call. */
const costPrice = z.number().min(0).max(1_000_000)

/** What the provider charges for a model. Absent prices of parts are those of input. */
const modelCost = z.strictObject({
  input: costPrice.default(0),
  output: costPrice.default(0),
  cached: costPrice.exactOptional(),
  cache_write: costPrice.exactOptional(),
  /** For each call that is answered, in addition to its tokens. */
  call: costPrice.default(0),
})

export type ModelCost = z.output<typeof modelCost>

const COST_MODELS_MAX = 500
const COST_FACTOR_MAX = 1000

const costFactor = z.number().min(0).max(COST_FACTOR_MAX)

/** What the channel's provider charges the operator; without settings, the list price. */
const cost = z
  .strictObject({
    /** Times the list price. */
    factor: costFactor,
    /** The provider is a gateway: the ratio there of the group that the key belongs to. */
    group_ratio: costFactor,
    /** By the provider's or the requested name of a model; precede the list price. */
    models: z
      .record(z.string().min(1).max(200), modelCost)
      .refine(
        (given) => sizeOf(given) <= COST_MODELS_MAX,
        rule(`must have at most ${COST_MODELS_MAX} models`, `最多 ${COST_MODELS_MAX} 个模型`),
      ),
    /** A cost in the provider's answer precedes what is computed. */
    reported: z.boolean(),
  })
  .exactPartial()
  .refine(
    ({ factor, group_ratio }) => factor === undefined || group_ratio === undefined,
    rule('must not have both factor and group_ratio', '不能同时包含 factor 和 group_ratio'),
  )

export type ChannelCost = z.output<typeof cost>

const channelSettings = z
  .looseObject({
    headers,
    set_parameters: setParameters,
    remove_parameters: removeParameters,
    card,
    apis,
    cost,
  })
  .exactPartial()
  .check(({ value, issues }) => {
    const { set_parameters: given = {}, remove_parameters: removed = [] } = value
    const report = reportTo(issues)
    const setPaths = Object.keys(given)
    for (const [at, path] of setPaths.entries()) {
      report(['set_parameters', path], overlap(path, [...setPaths.slice(0, at), ...removed]))
    }
    for (const [at, path] of removed.entries()) {
      report(['remove_parameters', at], overlap(path, removed.slice(0, at)))
    }
  })

/** No parameter may contain another one, since their order would decide the result. */
function overlap(path: string, others: readonly string[]): InBoth | null {
  const isWithin = (inner: string, outer: string) =>
    `${inner}.`.toLowerCase().startsWith(`${outer}.`.toLowerCase())
  const other = others.find((given) => isWithin(given, path) || isWithin(path, given))
  return other === undefined
    ? null
    : { en: `must not overlap with "${other}"`, zh: `不能与“${other}”重叠` }
}

type ChannelSettings = z.output<typeof channelSettings>

/** The first invalid member and the rule it breaks; null if every member is valid. */
export function settingsProblem(json: unknown): { field: string; problem: InBoth } | null {
  const inEnglish = parseIn(channelSettings, json, 'en')
  if (inEnglish.success) return null
  const { field, problem: en } = firstProblem(inEnglish.error, 'en')
  const inChinese = parseIn(channelSettings, json, 'zh')
  const zh = inChinese.success ? en : firstProblem(inChinese.error, 'zh').problem
  return { field, problem: { en, zh } }
}

const NO_SETTINGS: ChannelSettings = {}

/** The settings in a stored `config`, which may be older than their rules; then there are none. */
export function readChannelSettings(config: string): ChannelSettings {
  if (config === '') return NO_SETTINGS
  try {
    return channelSettings.safeParse(JSON.parse(config)).data ?? NO_SETTINGS
  } catch {
    return NO_SETTINGS
  }
}
