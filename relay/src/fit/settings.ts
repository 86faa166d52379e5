import { isRecord, member, type JsonRecord, clamp } from '../bytes/json-value.ts'
import type { ModelCard, Range } from '../cards/model-card.ts'
import { parameterError } from '../form/codec-errors.ts'
import { type ChatForm, type Settings, outputLimitOf } from '../form/request.ts'
import { digestOf } from './digest.ts'
import { withSettings } from './with-changes.ts'

/** Changes of settings whose value is a hint: sampling, penalties and the id of the end user. */
export function hintChanges(json: JsonRecord, card: ModelCard): JsonRecord {
  return {
    ...(takesSampling(json, card) ? rangeChanges(json, card) : NO_SAMPLING),
    ...(card.sampling.takesPenalties ? {} : NO_PENALTIES),
    ...userChange(json, card),
  }
}

/** Sampling settings, stop sequences, output limit and user id that the card accepts. */
export function fitSettings(form: ChatForm, card: ModelCard): ChatForm {
  const { settings } = form
  return withSettings(form, {
    ...hintChanges(settings, card),
    ...(takesLogprobs(settings, card) ? {} : NO_LOGPROBS),
    stop: acceptedStop(settings, card),
    ...limitChanges(settings, card),
  })
}

const NO_SAMPLING = { temperature: undefined, top_p: undefined }
const NO_LOGPROBS = { logprobs: undefined, top_logprobs: undefined }

const NO_PENALTIES = {
  presence_penalty: undefined,
  frequency_penalty: undefined,
  logit_bias: undefined,
}

function takesSampling(
  { reasoning_effort: effort }: JsonRecord,
  { sampling, reasoning }: ModelCard,
): boolean {
  if (sampling.takes !== 'without_reasoning') return sampling.takes === 'all'
  return effort === undefined ? !reasoning.isDefault : effort === 'none'
}

const takesLogprobs = (json: JsonRecord, card: ModelCard) =>
  card.sampling.takesLogprobs && takesSampling(json, card)

const rangeChanges = (json: JsonRecord, { sampling }: ModelCard): JsonRecord => ({
  temperature: clampTo(sampling.temperature, json['temperature']),
  top_p: clampTo(sampling.topP, json['top_p']),
})

const clampTo = (range: Range | null, value: unknown) =>
  range === null ? value : clamp(value, range.min, range.max)

/** Without empty stop sequences; the first ones, where the vendor accepts fewer. */
function acceptedStop(
  { stop = [] }: Settings,
  { sampling }: ModelCard,
): readonly string[] | undefined {
  const accepted = stop.filter((text) => text !== '').slice(0, sampling.stops ?? stop.length)
  if (accepted.length === 0) return undefined
  return accepted.length === stop.length ? stop : accepted
}

function limitChanges(json: JsonRecord, { limits }: ModelCard): JsonRecord {
  const limit = outputLimitOf(json)
  if (limit === undefined) return {}
  return {
    max_tokens: undefined,
    max_completion_tokens: undefined,
    [limits.outputMember]: Math.min(limit, limits.outputSetting ?? Infinity),
  }
}

function userChange({ user }: JsonRecord, card: ModelCard): JsonRecord {
  return typeof user === 'string' ? { user: fitUserId(user, card) } : {}
}

const DIGEST_LENGTH = 32

/** A digest in place of an id that is too long or too short, or has other characters. */
export function fitUserId(id: string, { content: { userId } }: ModelCard): string {
  if (userId === null) return id
  const { pattern, lengthMin, lengthMax } = userId
  const isAccepted = id.length >= lengthMin && id.length <= lengthMax && pattern.test(id)
  if (isAccepted) return id
  return `u_${digestOf(id, DIGEST_LENGTH)}`
}

export function rejectSchema(request: JsonRecord): void {
  if (member(request['response_format'], 'type') !== 'json_schema') return
  throw parameterError(
    "This provider does not support schemas: use response_format 'json_object'.",
    'response_format',
  )
}

/** Together, Fireworks and llama.cpp have the schema of an object next to its type. */
export function namedFormat(format: unknown): JsonRecord | undefined {
  if (!isRecord(format)) return undefined
  const { type, schema } = format
  if (type !== 'json_object' || !isRecord(schema)) return format
  return { type: 'json_schema', json_schema: { name: 'answer', schema } }
}
