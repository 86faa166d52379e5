import { plainName } from './dialects/gemini/fields.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from './json-value.ts'

/*
 * What of a request providers bill beside its tokens, or at other prices than their list has: nobody here
 * could say what it will cost. Each answers with the name of the member, null for none.
 */

/** OpenAI's chat completions. */
export function unpricedInChat(json: JsonRecord): string | null {
  if (isRecord(json['web_search_options'])) return 'web_search_options'
  return json['service_tier'] === 'priority' ? 'service_tier' : null
}

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
  return tier !== undefined && /priority/i.test(String(tier[1])) ? tier[0] : null
}
