import { isGiven, isSearchOff } from './codec/chat-request.ts'
import { plainName } from './dialects/gemini/fields.ts'
import { foldName } from './json-members.ts'
import { isRecord, type JsonRecord, member, textOf } from './json-value.ts'
import { memoize } from './memoize.ts'

/*
 * Features that providers bill in addition to tokens, or at other prices than their list: nobody here
 * could say what they will cost. Each function answers with the name of such a member, null for none.
 * Names and values are compared the way the most lenient parser of a provider would read them.
 */

const OFF: ReadonlySet<unknown> = new Set([false, 0, '', 'false'])

/** Vendors may take a number or a text for true. */
const isOn = (value: unknown) => isGiven(value) && !OFF.has(value)

/** Any other value may be a dearer tier, whatever its spelling. */
const isBeyond =
  (...usual: readonly string[]) =>
  (value: unknown) =>
    isGiven(value) &&
    !(typeof value === 'string' && ['', ...usual].includes(value.trim().toLowerCase()))

/**
 * Members by their plain names, and which of their values are billed. Tencent has two spellings of its own
 * (`EnableEnhancement`, `enable_enhancement`); only xAI and Baidu have a word for off inside of theirs.
 * `preset` is OpenRouter's: it may name a model, a provider and plugins. `providerOptions` is Vercel's,
 * whose `gateway` may name other models.
 */
const BILLED: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['websearchoptions', isGiven],
  ['enablesearch', isOn],
  ['searchparameters', (value) => isOn(value) && member(value, 'mode') !== 'off'],
  ['websearch', (value) => isOn(value) && member(value, 'enable') !== false],
  ['websearchenabled', isOn],
  ['withsearchenhance', isOn],
  ['enableenhancement', isOn],
  ['forcesearchenhancement', isOn],
  ['enabledeepsearch', isOn],
  ['plugins', (value) => isOn(value) && !(Array.isArray(value) && value.length === 0)],
  ['servicetier', isBeyond('auto', 'default', 'standard', 'standard_only', 'flex', 'on_demand')],
  ['speed', isBeyond('standard', 'normal')],
  ['inferencegeo', isBeyond('global', 'not_available')],
  ['preset', isOn],
  ['provideroptions', (value) => isGiven(member(value, 'gateway'))],
])

const billing = memoize((name) => BILLED.get(plainName(name)))

/** LiteLLM, and gateways like it, merge this member into the request. */
export const isExtraBody = memoize((name) => plainName(name) === 'extrabody')

function billedMember(json: JsonRecord): string | null {
  for (const name of Object.keys(json)) {
    const value = json[name]
    if (billing(name)?.(value)) return name
    const inner = isExtraBody(name) && isRecord(value) ? billedMember(value) : null
    if (inner !== null) return `${name}.${inner}`
  }
  return null
}

/** The first of the tools that is billed; some take one thing for a list of one. */
function billedTool({ tools }: JsonRecord, isBilled: (tool: unknown) => boolean): string | null {
  const at = [tools ?? []].flat().findIndex(isBilled)
  return at === -1 ? null : `tools.${at}`
}

/** OpenAI's chat completions, and what vendors have added to them. */
export function unpricedInChat(json: JsonRecord): string | null {
  // Zhipu, Moonshot, MiniMax and others have tools of their own beside functions.
  return billedMember(json) ?? billedTool(json, (tool) => !isFunction(tool) && !isSearchOff(tool))
}

/** Members of a tool by which some vendor could take it for one of its own, by their plain names. */
const BILLED_IN_TOOL = /search|retriev|interpreter|execution|browser|builtin|maps/

const isBilledInTool = memoize((name) => BILLED_IN_TOOL.test(plainName(name)))

/**
 * A tool that the client runs itself: it has a name, in a record of its own or, as in other dialects,
 * without one. Moonshot's own functions have names that begin with `$`.
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

/** Anthropic's tools of this kind have names with dates, OpenRouter's one with its own name before it. */
const BILLED_TOOL = /^\s*(?:openrouter:)?(?:web_search|code_execution)/i

export function unpricedInMessages(json: JsonRecord): string | null {
  const isBilled = (tool: unknown) => BILLED_TOOL.test(textOf(member(tool, 'type')))
  return billedMember(json) ?? billedTool(json, isBilled)
}

/** By their plain names. */
const BILLED_GOOGLE = new Set([
  'googlesearch',
  'googlesearchretrieval',
  'googlemaps',
  'enterprisewebsearch',
])

export function unpricedInContents(json: JsonRecord): string | null {
  const tool = billedTool(
    json,
    (one) => isRecord(one) && Object.keys(one).some((name) => BILLED_GOOGLE.has(plainName(name))),
  )
  if (tool !== null) return tool
  const tier = Object.entries(json).find(([name]) => plainName(name) === 'servicetier')
  return tier !== undefined && mentionsPriority(tier[1]) ? tier[0] : null
}

/** Longer than any name of a tier. */
const TIER_LENGTH_MAX = 256

function mentionsPriority(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= TIER_LENGTH_MAX && /priority/i.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some((entry) => entry.some(mentionsPriority))
}

/**
 * Members by which another model may answer than the one that is paid: OpenRouter's `models` and
 * `route`, `fallbacks` of several, and LiteLLM's lists of fallbacks and settings of its router.
 */
const OTHER_MODELS =
  /^(?:models|route|(?:\w+_)?fallbacks?|router_settings_override|user_config|model_list)$/

export const namesOtherModels = memoize((name) => OTHER_MODELS.test(foldName(name)))
