import { isRecord, type JsonRecord, textOf, isIntegerIn } from '../../bytes/json-value.ts'
import { effortOfBudget } from '../../cards/nearest-effort.ts'
import type { Settings } from '../../form/request.ts'
import { fieldError } from '../fields.ts'
import { OUTPUT_TOKENS_MAX } from '../openai-chat/check-fields.ts'
import { thinkingBudget } from '../openai-chat/read-head.ts'
import { readField, readListField } from './fields.ts'
import { jsonSchema } from './read-schema.ts'

const CHOICES_MAX = 128

const NUMBERS = Object.entries({
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
})

/** Throws `UnsupportedParameterError`. */
export function limitMembers(request: JsonRecord): Pick<Settings, 'n' | 'max_tokens'> {
  const config = configOf(request)
  const n = integerIn(config, 'candidateCount', CHOICES_MAX)
  const limit = integerIn(config, 'maxOutputTokens', OUTPUT_TOKENS_MAX)
  return { ...(n === null ? {} : { n }), ...(limit === null ? {} : { max_tokens: limit }) }
}

function configOf(request: JsonRecord): JsonRecord {
  const config = readField(request, 'generationConfig') ?? {}
  if (!isRecord(config)) throw fieldError('generationConfig', 'must be an object')
  return config
}

/** Throws `UnsupportedParameterError`. */
export function settingMembers(request: JsonRecord): Partial<Settings> {
  const config = configOf(request)
  for (const name of ['speechConfig', 'imageConfig']) {
    if (readField(config, name) !== undefined)
      throw fieldError(placeOf(name), 'is not possible here')
  }
  const stops = readListField(config, 'stopSequences', placeOf('stopSequences'))
  const stop = stops.filter((text) => typeof text === 'string')
  return {
    ...numberMembers(config),
    ...limitMembers(request),
    ...(stop.length === 0 ? {} : { stop }),
    ...formatMember(config),
    ...logprobMembers(config),
    ...modalityMember(config),
    ...effortMember(config),
  }
}

export function includesThoughts(request: JsonRecord): boolean {
  const thinking = readField(readField(request, 'generationConfig'), 'thinkingConfig')
  return readField(thinking, 'includeThoughts') === true
}

/** The part of `maxOutputTokens` that is reserved for reasoning. */
export const budgetOf = (request: JsonRecord): number =>
  thinkingBudget(
    readField(
      readField(readField(request, 'generationConfig'), 'thinkingConfig'),
      'thinkingBudget',
    ),
  )

const placeOf = (name: string) => `generationConfig.${name}`

function numberMembers(config: JsonRecord): Partial<Settings> {
  const named: Record<string, number> = {}
  for (const [name, setting] of NUMBERS) {
    const value = readField(config, name)
    if (typeof value === 'number') named[setting] = value
    else if (value !== undefined) throw fieldError(placeOf(name), 'must be a number')
  }
  return named
}

/** Null if absent. */
function integerIn(config: JsonRecord, name: string, max: number): number | null {
  const value = readField(config, name)
  if (value === undefined) return null
  if (isIntegerIn(value, 1, max)) return value
  throw fieldError(placeOf(name), `must be an integer from 1 to ${max}`)
}

function formatMember(config: JsonRecord): Partial<Settings> {
  const type = textOf(readField(config, 'responseMimeType'))
  const openApi = readField(config, 'responseSchema')
  const schema = readField(config, 'responseJsonSchema') ?? jsonSchema(openApi)
  if (type !== '' && type !== 'text/plain' && type !== 'application/json') {
    throw fieldError(placeOf('responseMimeType'), 'must be text/plain or application/json')
  }
  if (schema !== undefined) {
    return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
  }
  return type === 'application/json' ? { response_format: { type: 'json_object' } } : {}
}

function logprobMembers(config: JsonRecord): Partial<Settings> {
  if (readField(config, 'responseLogprobs') !== true) return {}
  const topLogprobs = readField(config, 'logprobs')
  return {
    logprobs: true,
    ...(typeof topLogprobs === 'number' ? { top_logprobs: topLogprobs } : {}),
  }
}

function modalityMember(config: JsonRecord): Partial<Settings> {
  const place = placeOf('responseModalities')
  const modalities = readListField(config, 'responseModalities', place).map((name) => {
    const modality = textOf(name).toLowerCase()
    if (modality === 'text' || modality === 'image') return modality
    throw fieldError(place, 'must be TEXT or IMAGE')
  })
  return modalities.includes('image') ? { modalities } : {}
}

/** A level takes precedence over a budget. A request to see reasoning implies medium effort. */
function effortMember(config: JsonRecord): Partial<Settings> {
  const thinking = readField(config, 'thinkingConfig')
  const level = textOf(readField(thinking, 'thinkingLevel')).toLowerCase()
  if (level !== '' && level !== 'thinking_level_unspecified') return { reasoning_effort: level }
  const budget = readField(thinking, 'thinkingBudget')
  if (typeof budget === 'number' && budget >= 0) return { reasoning_effort: effortOf(budget) }
  return readField(thinking, 'includeThoughts') === true ? { reasoning_effort: 'medium' } : {}
}

const effortOf = (budget: number): string => (budget === 0 ? 'none' : effortOfBudget(budget))
