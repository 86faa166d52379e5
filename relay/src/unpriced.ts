import { isPresent, isSearchOff } from './codec/chat-request.ts'
import { normalizeFieldName } from './dialects/gemini/fields.ts'
import { foldName } from './json-members.ts'
import { isRecord, type JsonRecord, member, textOf } from './json-value.ts'
import { memoize } from './memoize.ts'

/*
 * Features that providers bill in addition to tokens, or outside their price list, so their cost is
 * unknown here. Each function returns the name of such a member, or null for none. Names and values
 * are compared as the most lenient provider's parser would read them.
 */

const OFF: ReadonlySet<unknown> = new Set([false, 0, '', 'false'])

/** Providers may read a number or a string as true. */
const isOn = (value: unknown) => isPresent(value) && !OFF.has(value)

/** Any value not listed may be a more expensive tier, whatever its spelling. */
const isNeither =
  (...standardValues: readonly string[]) =>
  (value: unknown) =>
    isPresent(value) &&
    !(typeof value === 'string' && ['', ...standardValues].includes(value.trim().toLowerCase()))

/**
 * Billed members by their plain names, with a test for billed values. Tencent has two spellings
 * (`EnableEnhancement`, `enable_enhancement`). Only xAI and Baidu can be switched off inside the
 * member. `preset` is OpenRouter's and may name a model, a provider and plugins. `providerOptions`
 * is Vercel's, and its `gateway` may name other models.
 */
const BILLED: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['websearchoptions', isPresent],
  ['enablesearch', isOn],
  ['searchparameters', (value) => isOn(value) && member(value, 'mode') !== 'off'],
  ['websearch', (value) => isOn(value) && member(value, 'enable') !== false],
  ['websearchenabled', isOn],
  ['withsearchenhance', isOn],
  ['enableenhancement', isOn],
  ['forcesearchenhancement', isOn],
  ['enabledeepsearch', isOn],
  ['plugins', (value) => isOn(value) && !(Array.isArray(value) && value.length === 0)],
  ['servicetier', isNeither('auto', 'default', 'standard', 'standard_only', 'flex', 'on_demand')],
  ['speed', isNeither('standard', 'normal')],
  ['inferencegeo', isNeither('global', 'not_available')],
  ['preset', isOn],
  ['provideroptions', (value) => isPresent(member(value, 'gateway'))],
])

const billing = memoize((name) => BILLED.get(normalizeFieldName(name)))

/** LiteLLM and similar gateways merge this member into the request. */
export const isExtraBody = memoize((name) => normalizeFieldName(name) === 'extrabody')

function billedMember(json: JsonRecord): string | null {
  for (const name of Object.keys(json)) {
    const value = json[name]
    if (billing(name)?.(value)) return name
    const inner = isExtraBody(name) && isRecord(value) ? billedMember(value) : null
    if (inner !== null) return `${name}.${inner}`
  }
  return null
}

/** Names of the billed members at the top level. */
export const billedMembers = (json: JsonRecord): string[] =>
  Object.keys(json).filter((name) => billing(name)?.(json[name]))

/** The first billed tool. Some providers accept a single tool in place of a list. */
function billedTool({ tools }: JsonRecord, isBilled: (tool: unknown) => boolean): string | null {
  const at = [tools ?? []].flat().findIndex(isBilled)
  return at === -1 ? null : `tools.${at}`
}

/** For OpenAI's chat completions, including members that other providers have added. */
export function unpricedInChat(json: JsonRecord): string | null {
  // Zhipu, Moonshot, MiniMax and others have built-in tools in addition to functions.
  return billedMember(json) ?? billedTool(json, (tool) => !isFunction(tool) && !isSearchOff(tool))
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

export function unpricedInMessages(json: JsonRecord): string | null {
  const isBilled = (tool: unknown) => BILLED_TOOL.test(textOf(member(tool, 'type')))
  return billedMember(json) ?? billedTool(json, isBilled)
}

/** Plain names. */
const BILLED_GOOGLE_TOOLS = new Set([
  'googlesearch',
  'googlesearchretrieval',
  'googlemaps',
  'enterprisewebsearch',
])

export function unpricedInContents(json: JsonRecord): string | null {
  const tool = billedTool(
    json,
    (candidate) =>
      isRecord(candidate) &&
      Object.keys(candidate).some((name) => BILLED_GOOGLE_TOOLS.has(normalizeFieldName(name))),
  )
  if (tool !== null) return tool
  const tier = Object.entries(json).find(([name]) => normalizeFieldName(name) === 'servicetier')
  return tier !== undefined && mentionsPriority(tier[1]) ? tier[0] : null
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
