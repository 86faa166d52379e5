import { plainName } from './dialects/gemini/fields.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from './json-value.ts'

/*
 * What of a request providers bill beside its tokens, or at other prices than their list has: nobody here
 * could say what it will cost. Each answers with the name of the member, null for none.
 */

/** What makes providers search: OpenAI, Alibaba, xAI, Baidu, Baichuan and OpenRouter in their order. */
const SEARCHES = [
  'web_search_options',
  'enable_search',
  'search_parameters',
  'web_search',
  'with_search_enhance',
  'plugins',
] as const

/** Members that decide this, none of which may hide behind another spelling. */
export const UNPRICED_MEMBERS = [...SEARCHES, 'service_tier', 'tools'] as const

/** OpenAI's chat completions, and what vendors have added to them. */
export function unpricedInChat(json: JsonRecord): string | null {
  const search = SEARCHES.find((name) => isOn(json[name]))
  if (search !== undefined) return search
  // Zhipu, Moonshot, MiniMax and others have tools of their own beside functions.
  const at = listOf(json['tools']).findIndex((tool) => !isFunction(tool) && !isOff(tool))
  if (at !== -1) return `tools.${at}`
  return json['service_tier'] === 'priority' ? 'service_tier' : null
}

function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (!isRecord(value)) return value === true
  return value['enable'] !== false && value['mode'] !== 'off'
}

const isFunction = (tool: unknown) =>
  ['function', 'custom', ''].includes(textOf(member(tool, 'type')))

const isOff = (tool: unknown) =>
  member(member(tool, textOf(member(tool, 'type'))), 'enable') === false

/** Anthropic's tools of this kind have names with dates. */
const BILLED_TOOL = /^(?:web_search|code_execution)/

export function unpricedInMessages(json: JsonRecord): string | null {
  const at = listOf(json['tools']).findIndex((tool) =>
    BILLED_TOOL.test(textOf(member(tool, 'type'))),
  )
  if (at !== -1) return `tools.${at}`
  if (json['speed'] === 'fast') return 'speed'
  return json['inference_geo'] === 'us' ? 'inference_geo' : null
}

/** By their plain names. */
const BILLED_GOOGLE = new Set([
  'googlesearch',
  'googlesearchretrieval',
  'googlemaps',
  'enterprisewebsearch',
])

export function unpricedInContents(json: JsonRecord): string | null {
  // Google takes one thing for a list of one.
  const tools = [json['tools'] ?? []].flat()
  const at = tools.findIndex(
    (tool) =>
      isRecord(tool) && Object.keys(tool).some((name) => BILLED_GOOGLE.has(plainName(name))),
  )
  if (at !== -1) return `tools.${at}`
  const tier = Object.entries(json).find(([name]) => plainName(name) === 'servicetier')
  return tier !== undefined && /priority/i.test(JSON.stringify(tier[1])) ? tier[0] : null
}
