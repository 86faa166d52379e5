import {
  isPresent,
  isRecord,
  member,
  type JsonRecord,
  isIntegerIn,
} from '../../bytes/json-value.ts'
import { problem, type RequestProblem } from '../../errors/request-problem.ts'
import type { TextEndpoint } from '../../provider.ts'

const MODEL_LENGTH_MAX = 256
const CHOICES_MAX = 128
export const OUTPUT_TOKENS_MAX = 2 ** 30 - 1
const PROMPTS_MAX = 2048

/** Checks only members that the gateway uses. The provider validates the rest. */
export function checkFields(endpoint: TextEndpoint, json: JsonRecord): RequestProblem | null {
  return (
    checkModel(json['model']) ??
    checkBoolean(json['stream'], 'stream') ??
    checkStreamOptions(json['stream_options']) ??
    checkInteger(json['n'], 'n', 1, CHOICES_MAX) ??
    checkInteger(json['best_of'], 'best_of', 1, CHOICES_MAX) ??
    checkInteger(json['max_tokens'], 'max_tokens', 0, OUTPUT_TOKENS_MAX) ??
    checkInteger(json['max_completion_tokens'], 'max_completion_tokens', 0, OUTPUT_TOKENS_MAX) ??
    checkContent(endpoint, json)
  )
}

export function checkModel(model: unknown): RequestProblem | null {
  if (model === undefined || model === null || model === '') {
    return missing('model', 'Name the model to use')
  }
  if (typeof model !== 'string') return wrongType('model', 'a string')
  if (model.length <= MODEL_LENGTH_MAX) return null
  return invalid('model', `must have at most ${MODEL_LENGTH_MAX} characters`)
}

export function checkBoolean(value: unknown, name: string): RequestProblem | null {
  return !isPresent(value) || typeof value === 'boolean' ? null : wrongType(name, 'true or false')
}

function checkStreamOptions(options: unknown): RequestProblem | null {
  if (!isPresent(options)) return null
  if (!isRecord(options)) return wrongType('stream_options', 'an object')
  return checkBoolean(options['include_usage'], 'stream_options.include_usage')
}

export function checkInteger(
  value: unknown,
  name: string,
  min: number,
  max: number,
): RequestProblem | null {
  if (!isPresent(value) || isIntegerIn(value, min, max)) return null
  return invalid(name, `must be an integer from ${min} to ${max}`)
}

function checkContent(endpoint: TextEndpoint, json: JsonRecord): RequestProblem | null {
  if (endpoint === 'chat') return checkMessages(json['messages'])
  return endpoint === 'completions'
    ? checkTexts(json['prompt'], 'prompt')
    : checkTexts(json['input'], 'input')
}

function checkMessages(messages: unknown): RequestProblem | null {
  if (!isPresent(messages)) {
    return missing('messages', 'Give at least one message')
  }
  if (!Array.isArray(messages)) return wrongType('messages', 'an array of messages')
  if (messages.length === 0) return invalid('messages', 'must have at least one message')
  const index = messages.findIndex((message) => typeof member(message, 'role') !== 'string')
  if (index === -1) return null
  return wrongType(`messages[${index}]`, 'an object with a role')
}

/** Accepts a text, several texts, the token ids of a text, or several lists of token ids. */
function checkTexts(value: unknown, name: string): RequestProblem | null {
  if (!isPresent(value)) return missing(name, 'Give a text')
  if (typeof value === 'string') return null
  if (!Array.isArray(value)) return wrongType(name, 'a string or an array')
  if (value.length === 0) return invalid(name, 'must not be empty')
  if (value.every(isTokenId)) return null
  const areTexts = value.every((item) => typeof item === 'string')
  if (!areTexts && !value.every(isTokenList)) {
    return wrongType(name, 'a string, an array of strings, or one or more arrays of integers')
  }
  return value.length <= PROMPTS_MAX
    ? null
    : invalid(name, `must have at most ${PROMPTS_MAX} items`)
}

const isTokenList = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(isTokenId)

const isTokenId = (value: unknown) => Number.isInteger(value)

export const missing = (param: string, advice: string): RequestProblem =>
  problem(`'${param}' is missing. ${advice}.`, param, 'missing_required_parameter')

export const wrongType = (param: string, expected: string): RequestProblem =>
  problem(`'${param}' must be ${expected}.`, param, 'invalid_type')

export const invalid = (param: string, rule: string): RequestProblem =>
  problem(`'${param}' ${rule}.`, param, 'invalid_value')

export const unsupported = (param: string, reason: string): RequestProblem =>
  problem(`'${param}' is not supported. ${reason}.`, param, 'unsupported_parameter')
