import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { type Settings, cacheMarkOf } from '../../form/request.ts'

const isNumber = (value: unknown) => typeof value === 'number'
const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown) => typeof value === 'boolean'

/** What a setting must be. The provider would refuse other values, so they are left out. */
const CHECKS = {
  stream: isBoolean,
  stream_options: isRecord,
  max_tokens: isNumber,
  max_completion_tokens: isNumber,
  n: isNumber,
  temperature: isNumber,
  top_p: isNumber,
  top_k: isNumber,
  seed: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  logit_bias: isRecord,
  logprobs: isBoolean,
  top_logprobs: isNumber,
  response_format: isRecord,
  reasoning_effort: isText,
  thinking: isRecord,
  reasoning: isRecord,
  enable_thinking: isBoolean,
  verbosity: isText,
  parallel_tool_calls: isBoolean,
  user: isText,
  safety_identifier: isText,
  metadata: isRecord,
  service_tier: isText,
  prompt_cache_key: isText,
  prompt_cache_retention: isText,
  safety_settings: Array.isArray,
  audio: isRecord,
  web_search_options: isRecord,
} satisfies Readonly<Partial<Record<keyof Settings, (value: unknown) => boolean>>>

const CHECK_LIST = Object.entries(CHECKS)

/** The settings of a chat but for the choice of tools. */
export function readSettings(json: JsonRecord): Settings {
  const { stop, modalities } = json
  const stops = (Array.isArray(stop) ? stop : [stop]).filter(isText)
  const { cacheMark } = cacheMarkOf(json)
  const values: Record<string, unknown> = {}
  for (const [name, isValid] of CHECK_LIST) if (isValid(json[name])) values[name] = json[name]
  return {
    // Safe because CHECKS has a check for each of these members.
    ...(values as Partial<Settings>),
    model: textOf(json['model']),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...(Array.isArray(modalities) ? { modalities: modalities.filter(isText) } : {}),
    ...(cacheMark === undefined ? {} : { cache_control: cacheMark }),
  }
}
