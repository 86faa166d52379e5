import { isRecord, type JsonRecord, textOf } from '../../json-value.ts'
import { thinkingBudget } from '../openai/request.ts'
import { given, listGiven, refused } from './fields.ts'
import { jsonSchema } from './schema.ts'

const CHOICES_MAX = 128
const OUTPUT_TOKENS_MAX = 2 ** 30 - 1
/** Budgets below these are low and medium effort; our own mapping. */
const LOW_BUDGET_BELOW = 4096
const MEDIUM_BUDGET_BELOW = 16_384

const NUMBERS = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
} as const

/** Throws `UnsupportedParameterError`. */
export function limitMembers(request: JsonRecord): JsonRecord {
  const config = configOf(request)
  return {
    ...integerMember(config, 'candidateCount', 'n', CHOICES_MAX),
    ...integerMember(config, 'maxOutputTokens', 'max_tokens', OUTPUT_TOKENS_MAX),
  }
}

function configOf(request: JsonRecord): JsonRecord {
  const config = given(request, 'generationConfig') ?? {}
  if (!isRecord(config)) throw refused('generationConfig', 'must be an object.')
  return config
}

/** Throws `UnsupportedParameterError`. */
export function settingMembers(request: JsonRecord): JsonRecord {
  const config = configOf(request)
  for (const name of ['speechConfig', 'imageConfig']) {
    if (given(config, name) !== undefined) throw refused(placeOf(name), 'is not possible here.')
  }
  const stops = listGiven(config, 'stopSequences', placeOf('stopSequences'))
  return {
    ...numberMembers(config),
    ...limitMembers(request),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...formatMember(config),
    ...logprobMembers(config),
    ...modalityMember(config),
    ...effortMember(config),
  }
}

export function showsThoughts(request: JsonRecord): boolean {
  const thinking = given(given(request, 'generationConfig'), 'thinkingConfig')
  return given(thinking, 'includeThoughts') === true
}

/** The part of `maxOutputTokens` that is reserved for reasoning. */
export const budgetOf = (request: JsonRecord): number =>
  thinkingBudget(
    given(given(given(request, 'generationConfig'), 'thinkingConfig'), 'thinkingBudget'),
  )

const placeOf = (name: string) => `generationConfig.${name}`

function numberMembers(config: JsonRecord): JsonRecord {
  const named = Object.entries(NUMBERS).flatMap(([name, ours]): [string, number][] => {
    const value = given(config, name)
    if (value === undefined) return []
    if (typeof value === 'number') return [[ours, value]]
    throw refused(placeOf(name), 'must be a number.')
  })
  return Object.fromEntries(named)
}

function integerMember(config: JsonRecord, name: string, ours: string, most: number): JsonRecord {
  const value = given(config, name)
  if (value === undefined) return {}
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
    return { [ours]: value }
  }
  throw refused(placeOf(name), `must be an integer from 1 to ${most}.`)
}

function formatMember(config: JsonRecord): JsonRecord {
  const type = textOf(given(config, 'responseMimeType'))
  const openApi = given(config, 'responseSchema')
  const schema = given(config, 'responseJsonSchema') ?? jsonSchema(openApi)
  if (type !== '' && type !== 'text/plain' && type !== 'application/json') {
    throw refused(placeOf('responseMimeType'), 'must be text/plain or application/json.')
  }
  if (schema !== undefined) {
    return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
  }
  return type === 'application/json' ? { response_format: { type: 'json_object' } } : {}
}

function logprobMembers(config: JsonRecord): JsonRecord {
  if (given(config, 'responseLogprobs') !== true) return {}
  const most = given(config, 'logprobs')
  return { logprobs: true, ...(typeof most === 'number' ? { top_logprobs: most } : {}) }
}

function modalityMember(config: JsonRecord): JsonRecord {
  const place = placeOf('responseModalities')
  const asked = listGiven(config, 'responseModalities', place).map((name) => {
    const modality = textOf(name).toLowerCase()
    if (modality === 'text' || modality === 'image') return modality
    throw refused(place, 'must be TEXT or IMAGE.')
  })
  return asked.includes('image') ? { modalities: asked } : {}
}

/** A level takes precedence over a budget. A request to see reasoning implies medium effort. */
function effortMember(config: JsonRecord): JsonRecord {
  const thinking = given(config, 'thinkingConfig')
  const level = textOf(given(thinking, 'thinkingLevel')).toLowerCase()
  if (level !== '' && level !== 'thinking_level_unspecified') return { reasoning_effort: level }
  const budget = given(thinking, 'thinkingBudget')
  if (typeof budget === 'number' && budget >= 0) return { reasoning_effort: effortOf(budget) }
  return given(thinking, 'includeThoughts') === true ? { reasoning_effort: 'medium' } : {}
}

function effortOf(budget: number): string {
  if (budget === 0) return 'none'
  if (budget < LOW_BUDGET_BELOW) return 'low'
  return budget < MEDIUM_BUDGET_BELOW ? 'medium' : 'high'
}
