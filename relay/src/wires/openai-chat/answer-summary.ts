import {
  isRecord,
  member,
  type JsonRecord,
  stringifyOrEmpty,
  textOf,
  listOf,
} from '../../bytes/json-value.ts'
import { choicesOf } from '../../form/chat-chunk.ts'
import type { AnswerHead } from '../../form/events.ts'
import type { RelayEndpoint } from '../../provider.ts'
import type { AnswerSummary } from '../../usage/answer-summary.ts'
import { servedIn } from '../../usage/served.ts'
import { isUsage, parseUsage } from '../../usage/usage.ts'

/**
 * Reads an answer in OpenAI's form. Never throws, whatever the provider sent. `readWhole` is needed
 * if `json` lacks the rest of long texts.
 */
export function readAnswer(
  endpoint: RelayEndpoint,
  json: unknown,
  upstreamModel = '',
  readWhole = () => json,
): AnswerSummary {
  const choices = choicesOf(json)
  const report = usageReport(json)
  const usage = parseUsage(report, upstreamModel)
  const isVectors = endpoint === 'embeddings'
  const items = isVectors ? member(json, 'data') : choices
  return {
    complete: reportedError(json) === null && Array.isArray(items) && items.length > 0,
    form: 'json',
    model: textOf(member(json, 'model')) || null,
    usage,
    served: servedIn(report, member(json, 'service_tier')),
    outputText: () => choicesOf(readWhole()).map(choiceText).join(''),
    hasSpeech: choices.some(hasAudio),
    isEmpty: () => !isVectors && choices.every(isEmptyChoice) && !hasOutputTokens(report),
  }
}

/** Another finish reason than `stop` explains why there is no output. */
function isEmptyChoice(choice: JsonRecord): boolean {
  const { finish_reason: reason, message } = choice
  const images = member(message, 'images')
  return (
    (reason === 'stop' || (reason ?? null) === null) &&
    choiceText(choice) === '' &&
    !hasAudio(choice) &&
    !(Array.isArray(images) && images.length > 0)
  )
}

const hasOutputTokens = (report: unknown) => (parseUsage(report)?.completionTokens ?? 0) > 0

const LOGPROBS: ReadonlySet<string> = new Set(['logprobs'])
const VECTORS: ReadonlySet<string> = new Set(['data'])

/**
 * Members of a large answer that `readAnswer` skips, since clients get them unchanged. The vectors
 * of 2048 texts have six million numbers, and the log probabilities of a long answer as many nodes.
 */
export const skippedMembers = (endpoint: RelayEndpoint): ReadonlySet<string> =>
  endpoint === 'embeddings' ? VECTORS : LOGPROBS

export function answerHead(json: unknown): AnswerHead {
  const created = member(json, 'created')
  return {
    id: textOf(member(json, 'id')),
    created: typeof created === 'number' ? created : 0,
    model: textOf(member(json, 'model')),
  }
}

/** Groq and Moonshot have reported usage in places of their own. */
export function usageReport(json: unknown): JsonRecord | null {
  return usageIn(json) ?? usageIn(choicesOf(json)[0]) ?? usageIn(member(json, 'x_groq'))
}

function usageIn(place: unknown): JsonRecord | null {
  const report = member(place, 'usage')
  return isUsage(report) ? report : null
}

/** The error of a body in any provider's form. Falsy errors are none, as in official clients. */
export function reportedError(json: unknown): unknown {
  if (!isRecord(json)) return null
  const error = json['error'] || member(json['response'], 'error')
  if (error) return error
  const status = member(json['base_resp'], 'status_code')
  if (typeof status === 'number' && status !== 0) return json['base_resp']
  const failed = isFailureCode(json['error_code']) || isFailureCode(json['errCode'])
  if (failed || isBareMessage(json)) return json
  const choice = failedChoice(json)
  return choice === undefined ? null : (choice['error'] ?? choice)
}

/** A choice that broke off, as OpenRouter and Mistral report it; the choice may hold the error. */
function failedChoice(json: unknown): JsonRecord | undefined {
  return choicesOf(json).find((choice) => choice['finish_reason'] === 'error')
}

/** A message in place of an answer, as Mistral, vLLM and FastGPT send it. */
function isBareMessage(json: JsonRecord): boolean {
  const hasAnswer = json['choices'] !== undefined || json['data'] !== undefined
  return json['object'] === 'error' || (textOf(json['message']) !== '' && !hasAnswer)
}

function isFailureCode(code: unknown): boolean {
  return code !== undefined && code !== null && code !== 0 && code !== '0' && code !== ''
}

const hasAudio = ({ message }: JsonRecord) =>
  textOf(member(member(message, 'audio'), 'data')) !== ''

/** GitHub Copilot has the last of the names (BerriAI/litellm#35021). */
export const reasoningIn = (message: unknown): string =>
  textOf(
    member(message, 'reasoning_content') ??
      member(message, 'reasoning') ??
      member(message, 'reasoning_text'),
  )

/**
 * All output of a choice, complete (`message`, `text`) or a piece of a stream (`delta`). Perplexity
 * repeats the whole message with each piece.
 */
export function choiceText(choice: JsonRecord): string {
  const message = choice['delta'] ?? choice['message']
  const ownText =
    textOf(choice['text']) +
    reasoningIn(message) +
    contentText(member(message, 'content')) +
    textOf(member(message, 'refusal')) +
    textOf(member(member(message, 'audio'), 'transcript'))
  return toolCalls(message).reduce<string>(
    (text, call) => text + textOf(member(call, 'name')) + callInput(call),
    ownText,
  )
}

/** Maximum nesting of parts; deeper values are not text. */
const PARTS_DEPTH_MAX = 8

/** Magistral answers with a list of parts in which thinking is again a list. */
function contentText(content: unknown, depth = 0): string {
  if (!Array.isArray(content)) return textOf(content)
  if (depth > PARTS_DEPTH_MAX) return ''
  return content
    .map((part) => textOf(member(part, 'text')) + contentText(member(part, 'thinking'), depth + 1))
    .join('')
}

/** What a message calls: functions and custom tools, also in the form before `tool_calls`. */
export const toolCalls = (message: unknown): unknown[] => [
  ...listOf(member(message, 'tool_calls')).map(
    (call) => member(call, 'function') ?? member(call, 'custom'),
  ),
  member(message, 'function_call'),
]

function callInput(call: unknown): string {
  const input = member(call, 'arguments') ?? member(call, 'input')
  return isRecord(input) ? stringifyOrEmpty(input) : textOf(input)
}
