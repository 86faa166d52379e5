import { isGiven, isSearchOff } from './codec/chat-request.ts'
import { plainName } from './dialects/gemini/fields.ts'
import { foldName } from './json-members.ts'
import { isRecord, type JsonRecord, member, textOf } from './json-value.ts'
import { remembered } from './remembered.ts'

/*
 * What of a request providers bill beside its tokens, or at other prices than their list has: nobody here
 * could say what it will cost. Each answers with the name of the member, null for none.
 */

const OFF: ReadonlySet<unknown> = new Set([false, 0, '', 'false'])

/** Vendors may take a number or a text for true. */
const isOn = (value: unknown) => isGiven(value) && !OFF.has(value)

/**
 * Members by their plain names, and which of their values are billed. Tencent has two spellings of its own
 * (`EnableEnhancement`, `enable_enhancement`); only xAI and Baidu have a word for off inside of theirs.
 */
const BILLED: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['websearchoptions', isGiven],
  ['enablesearch', isOn],
  ['searchparameters', (value) => isOn(value) && member(value, 'mode') !== 'off'],
  ['websearch', (value) => isOn(value) && member(value, 'enable') !== false],
  ['withsearchenhance', isOn],
  ['enableenhancement', isOn],
  ['forcesearchenhancement', isOn],
  ['enabledeepsearch', isOn],
  ['plugins', (value) => isOn(value) && !(Array.isArray(value) && value.length === 0)],
  ['servicetier', (value) => value === 'priority' || value === 'fast'],
  ['speed', (value) => value === 'fast'],
  ['inferencegeo', (value) => value === 'us'],
])

const billing = remembered((name) => BILLED.get(plainName(name)))

function billedMember(json: JsonRecord): string | null {
  const billed = Object.keys(json).find((name) => billing(name)?.(json[name]))
  return billed ?? null
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

/** A client's own: it has a name, in a record of its own or, as in other dialects, without one. */
function isFunction(tool: unknown): boolean {
  const type = textOf(member(tool, 'type')) || 'function'
  const isNamed = isRecord(member(tool, type)) || textOf(member(tool, 'name')) !== ''
  return (type === 'function' || type === 'custom') && isNamed
}

/** Anthropic's tools of this kind have names with dates, OpenRouter's one with its own name before it. */
const BILLED_TOOL = /^(?:openrouter:)?(?:web_search|code_execution)/

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

/** OpenRouter's members, and others', by which another model may answer than the one that is paid. */
const OTHER_MODELS = new Set(['models', 'route', 'fallbacks'])

export const namesOtherModels = remembered((name) => OTHER_MODELS.has(foldName(name)))
