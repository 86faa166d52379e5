import { foldName, normalizeFieldName } from '../bytes/json-members.ts'
import { isRecord, type JsonRecord, member, textOf, isPresent } from '../bytes/json-value.ts'
import { memoize } from '../bytes/memoize.ts'
import { regionNamed, tierNamed } from './served.ts'

/*
 * Features that providers bill in addition to tokens, or outside their price list. Names and values
 * are compared as the most lenient provider's parser would read them.
 */

/** Without a tier, a region and a tool, the feature can have no price here. */
export type BilledFeature = {
  /** The name of the member that asks for the feature. */
  readonly member: string
  readonly tier?: string
  readonly region?: string
  /** The provider calls it as often as it likes unless `callsMax` is sent along. */
  readonly tool?: string
  readonly callsMax?: number
}

type Feature = Omit<BilledFeature, 'member'>

const OFF: ReadonlySet<unknown> = new Set([false, 0, '', 'false'])

/** Providers may read a number or a string as true. */
const isOn = (value: unknown) => isPresent(value) && !OFF.has(value)

const UNPRICED: Feature = {}

const unpricedIf =
  (isBilled: (value: unknown) => boolean) =>
  (value: unknown): Feature | null =>
    isBilled(value) ? UNPRICED : null

/** For members that are texts: a provider could read anything into another value. */
const inText =
  (featureOf: (text: string) => Feature | null) =>
  (value: unknown): Feature | null => {
    if (!isPresent(value)) return null
    return typeof value === 'string' ? featureOf(value) : UNPRICED
  }

/** Flex is cheaper than the standard tier. */
const tierIn = inText((text) => {
  const tier = tierNamed(text)
  return tier === undefined || tier === 'flex' ? null : { tier }
})

const speedIn = inText((text) => {
  const speed = text.trim().toLowerCase()
  return ['', 'standard', 'normal'].includes(speed) ? null : { tier: speed }
})

const regionIn = inText((text) => {
  const region = regionNamed(text)
  return region === undefined ? null : { region }
})

/** Each answer of a model that searches costs a search, by the size of its context. */
function searchIn(value: unknown): Feature | null {
  if (!isPresent(value)) return null
  const size = isRecord(value) ? (value['search_context_size'] ?? 'low') : null
  if (size !== 'low' && size !== 'medium' && size !== 'high') return UNPRICED
  return { tool: size === 'low' ? SEARCH_ANSWER : `${SEARCH_ANSWER}_${size}`, callsMax: 1 }
}

/** The search of a model that searches for every answer. */
export const SEARCH_ANSWER = 'search_answer'

/**
 * Billed members by their plain names. Tencent has two spellings (`EnableEnhancement`,
 * `enable_enhancement`). Only xAI and Baidu can be switched off inside the member. `preset` is
 * OpenRouter's and may name a model, a provider and plugins. `providerOptions` is Vercel's, and its
 * `gateway` may name other models.
 */
const BILLED: ReadonlyMap<string, (value: unknown) => Feature | null> = new Map([
  ['websearchoptions', searchIn],
  ['enablesearch', unpricedIf(isOn)],
  ['searchparameters', unpricedIf((value) => isOn(value) && member(value, 'mode') !== 'off')],
  ['websearch', unpricedIf((value) => isOn(value) && member(value, 'enable') !== false)],
  ['websearchenabled', unpricedIf(isOn)],
  ['withsearchenhance', unpricedIf(isOn)],
  ['enableenhancement', unpricedIf(isOn)],
  ['forcesearchenhancement', unpricedIf(isOn)],
  ['enabledeepsearch', unpricedIf(isOn)],
  ['plugins', unpricedIf((value) => isOn(value) && !(Array.isArray(value) && value.length === 0))],
  ['servicetier', tierIn],
  ['speed', speedIn],
  ['inferencegeo', regionIn],
  ['preset', unpricedIf(isOn)],
  ['provideroptions', unpricedIf((value) => isPresent(member(value, 'gateway')))],
])

const billing = memoize((name) => BILLED.get(normalizeFieldName(name)))

/** LiteLLM and similar gateways merge this member into the request. */
export const isExtraBody = memoize((name) => normalizeFieldName(name) === 'extrabody')

const NONE: readonly BilledFeature[] = []

function membersOf(json: JsonRecord): readonly BilledFeature[] {
  let features = NONE
  for (const name in json) {
    const value = json[name]
    const feature = billing(name)?.(value) ?? null
    if (feature !== null) features = [...features, { member: name, ...feature }]
    if (!isExtraBody(name) || !isRecord(value)) continue
    // What a gateway merges into the request has no price of its own.
    const inner = membersOf(value).map((found) => ({ member: `${name}.${found.member}` }))
    if (inner.length > 0) features = [...features, ...inner]
  }
  return features
}

/** Names of the billed members at the top level. */
export const billedMembers = (json: JsonRecord): string[] =>
  Object.keys(json).filter((name) => (billing(name)?.(json[name]) ?? null) !== null)

/** Some providers accept a single tool in place of a list. */
function billedTools(
  { tools }: JsonRecord,
  featureOf: (tool: unknown) => Feature | null,
): readonly BilledFeature[] {
  if ((tools ?? null) === null) return NONE
  let features = NONE
  for (const [at, tool] of [tools].flat().entries()) {
    const feature = featureOf(tool)
    if (feature !== null) features = [...features, { member: `tools.${at}`, ...feature }]
  }
  return features
}

const joined = (
  members: readonly BilledFeature[],
  tools: readonly BilledFeature[],
): readonly BilledFeature[] => (tools.length === 0 ? members : [...members, ...tools])

/** For OpenAI's chat completions, including members that other providers have added. */
export function billedInChat(json: JsonRecord): readonly BilledFeature[] {
  // Zhipu, Moonshot, MiniMax and others have built-in tools in addition to functions.
  const isBilled = (tool: unknown) => !isFunction(tool) && !isSearchOff(tool)
  return joined(membersOf(json), billedTools(json, unpricedIf(isBilled)))
}

/** Tool members, by their plain names, that a provider could take for a built-in tool. */
const BILLED_IN_TOOL = /search|retriev|interpreter|execution|browser|builtin|maps/

const isBilledInTool = memoize((name) => BILLED_IN_TOOL.test(normalizeFieldName(name)))

/**
 * Whether the client runs the tool itself. Such a tool has a name, either in a nested record or, as
 * in other dialects, at its top level. Names of Moonshot's built-in functions begin with `$`.
 */
function isFunction(tool: unknown): boolean {
  if (!isRecord(tool)) return false
  const type = textOf(tool['type']) || 'function'
  if (type !== 'function' && type !== 'custom') return false
  const declared = tool[type]
  const name = isRecord(declared) ? textOf(declared['name']) : textOf(tool['name'])
  const isNamed = isRecord(declared) || name !== ''
  return isNamed && !name.startsWith('$') && !Object.keys(tool).some(isBilledInTool)
}

/** Anthropic's tools have dated names; OpenRouter's has a prefix. */
const BILLED_TOOL = /^\s*(?:openrouter:)?(?:web_search|code_execution)/i

/** Anthropic's own web search, whose calls its usage reports. */
const WEB_SEARCH = /^web_search_\d+$/

export const billedInMessages = (json: JsonRecord): readonly BilledFeature[] =>
  joined(membersOf(json), billedTools(json, messagesTool))

function messagesTool(tool: unknown): Feature | null {
  const type = textOf(member(tool, 'type'))
  if (!BILLED_TOOL.test(type)) return null
  if (!WEB_SEARCH.test(type)) return UNPRICED
  return { tool: 'web_search', ...callsMaxIn(member(tool, 'max_uses')) }
}

const callsMaxIn = (value: unknown): Pick<Feature, 'callsMax'> =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? { callsMax: value } : {}

/** OpenAI's tools that are billed by the call, and xAI's: by their types in Responses. */
const RESPONSES_TOOLS: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web_search'],
  ['web_search_2025_08_26', 'web_search'],
  ['file_search', 'file_search'],
  ['code_interpreter', 'code_interpreter'],
  ['x_search', 'x_search'],
])

/** A container with more memory than by default costs more. */
const DEFAULT_MEMORY: ReadonlySet<unknown> = new Set([undefined, null, '1g'])

/** For the Responses API, whose tools the caller has found. */
export function billedInResponses(
  json: JsonRecord,
  tools: readonly unknown[],
): readonly BilledFeature[] {
  const calls = callsMaxIn(json['max_tool_calls'])
  const features = tools.map((given): BilledFeature => {
    const type = textOf(member(given, 'type'))
    const tool = RESPONSES_TOOLS.get(type)
    const hasMemory = !DEFAULT_MEMORY.has(member(member(given, 'container'), 'memory_limit'))
    return tool === undefined || hasMemory ? { member: type } : { member: type, tool, ...calls }
  })
  return joined(membersOf(json), features)
}

/** By plain name. Enterprise search has another price. */
const GOOGLE_TOOLS: ReadonlyMap<string, Feature> = new Map([
  ['googlesearch', { tool: 'google_search' }],
  ['googlesearchretrieval', { tool: 'google_search' }],
  ['googlemaps', { tool: 'google_maps', callsMax: 1 }],
  ['enterprisewebsearch', UNPRICED],
])

function contentsTool(tool: unknown): Feature | null {
  if (!isRecord(tool)) return null
  const found = Object.keys(tool).flatMap(
    (name) => GOOGLE_TOOLS.get(normalizeFieldName(name)) ?? [],
  )
  const [first = null] = found
  return found.length > 1 ? UNPRICED : first
}

export function billedInContents(json: JsonRecord): readonly BilledFeature[] {
  const tools = billedTools(json, contentsTool)
  const tier = Object.entries(json).find(([name]) => normalizeFieldName(name) === 'servicetier')
  if (tier === undefined || !mentionsPriority(tier[1])) return tools
  const [name, value] = tier
  const feature = typeof value === 'string' ? { tier: tierNamed(value) ?? '' } : UNPRICED
  return [...tools, { member: name, ...feature }]
}

/** Longer than any tier name. */
const TIER_LENGTH_MAX = 256

function mentionsPriority(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= TIER_LENGTH_MAX && /priority/i.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some((entry) => entry.some(mentionsPriority))
}

/**
 * Members that let another model answer than the model that is charged: OpenRouter's `models` and
 * `route`, `fallbacks` of several gateways, and LiteLLM's fallback lists and router settings.
 */
const OTHER_MODELS =
  /^(?:models|route|(?:\w+_)?fallbacks?|router_settings_override|user_config|model_list)$/

export const namesOtherModels = memoize((name) => OTHER_MODELS.test(foldName(name)))

/** Zhipu, Baichuan and Spark list a web search tool in order to disable it. */
export const isSearchOff = (tool: unknown) =>
  member(tool, 'type') === 'web_search' && member(member(tool, 'web_search'), 'enable') === false
