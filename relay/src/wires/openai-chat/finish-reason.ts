import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import { choicesOf } from '../../form/chat-chunk.ts'

/** Values of OpenAI, Mistral, DeepSeek, SGLang and servers that name the requested limit. */
const CUT_OFF = new Set([
  'length',
  'model_length',
  'max_tokens',
  'max_output_tokens',
  'insufficient_system_resource',
  'abort',
])

export const isCutOff = (finishReason: unknown): boolean =>
  typeof finishReason === 'string' && CUT_OFF.has(finishReason)

/**
 * The reason of a choice after another event. Some providers send `stop` with every event, others
 * once more with the usage; it replaces no other reason.
 */
export function laterReason(known: string | null, given: unknown): string | null {
  if (typeof given !== 'string' || given === '') return known
  return known !== null && given === 'stop' ? known : given
}

/** Names of reasons, which some providers repeat in `stop_reason`. */
const REASONS = new Set(['stop', 'eos', 'end_turn', 'stop_sequence', 'tool_use', 'tool_calls'])

/** The stop sequence that ended a choice: `stop_reason` of vLLM, `matched_stop` of SGLang. */
export function matchedSequence(choice: unknown): string | null {
  const found = textOf(member(choice, 'stop_reason') ?? member(choice, 'matched_stop'))
  return found === '' || REASONS.has(found) ? null : found
}

/**
 * The event with reasons that fit what its choices have; null if they fit. Agents go by the reason:
 * `stop` behind a tool call ends their turn, and `tool_calls` without a call makes them ask again
 * (weave-os/router#250, vllm-project/vllm#53363).
 */
export function withFittingReasons(
  event: JsonRecord,
  callsTools: (choice: JsonRecord) => boolean,
): JsonRecord | null {
  const given = choicesOf(event)
  const choices = given.map((choice) => {
    const { finish_reason: reason } = choice
    const calls = callsTools(choice)
    if (reason === 'stop' && calls) return { ...choice, finish_reason: 'tool_calls' }
    return reason === 'tool_calls' && !calls ? { ...choice, finish_reason: 'stop' } : choice
  })
  return choices.every((choice, at) => choice === given[at]) ? null : { ...event, choices }
}
