import { randomUUID } from 'node:crypto'
import { ANTHROPIC_IDS } from '../../cards/alphabets.ts'
import { escapeId } from '../../fit/ids.ts'
import { readJson } from '../../json-parse.ts'
import { isRecord, member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { writeJson } from '../../json-write.ts'
import { NestedJson } from '../../nested-json.ts'
import type { Steps } from '../../steps.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import { inputOf } from '../nesting.ts'
import { choicesOf } from '../openai/answer.ts'
import { isCutOff, matchedSequence } from '../openai/finish-reason.ts'
import { ReasoningDetails, sealDetails } from '../openai/reasoning-details.ts'
import { textAndReasoning } from '../openai/text-and-reasoning.ts'
import { type ToolCallDelta, ToolCallDeltas, indexedCalls } from '../openai/tool-call-deltas.ts'

/** `metered` replaces usage that was not reported. */
export function* messageOf(body: Buffer, metered: Usage): Steps<Buffer> {
  const json = yield* readJson(body)
  const [choice] = choicesOf(json)
  const message = member(choice, 'message')
  const calls = new ToolCallDeltas(textOf(member(json, 'id')))
  const content = blocksOf(message, calls)
  const usage = parseUsage(member(json, 'usage')) ?? metered
  const answer = {
    id: messageId(member(json, 'id')),
    type: 'message',
    role: 'assistant',
    model: textOf(member(json, 'model')),
    content,
    ...stopOf({
      finishReason: member(choice, 'finish_reason'),
      callsTools: content.some(isToolUse),
      stopSequence: matchedSequence(choice),
    }),
    usage: usageOf(usage),
  }
  return yield* writeJson(answer, body.length)
}

/** Reasoning blocks keep their positions within the text and the tool calls, which come last. */
function blocksOf(message: unknown, calls: ToolCallDeltas): JsonRecord[] {
  const { text: content, reasoning } = textAndReasoning(message)
  const text = content || textOf(member(message, 'refusal'))
  const nested = new NestedJson()
  const uses = [
    ...indexedCalls(message).flatMap((call) => calls.push(call) ?? []),
    ...calls.end(),
  ].map((call) => toolUseOf(call, nested))
  const thinkingBlocks = listOf(member(message, 'thinking_blocks')).filter(isRecord)
  const details = new ReasoningDetails()
  details.pushAll(message)
  const entries = [...details.entries, ...calls.signatures]
  const isUnsigned = entries.length === 0
  const signature = isUnsigned ? '' : sealDetails(entries)
  const block = { type: 'thinking', thinking: reasoning, signature }
  if (thinkingBlocks.length === 0) {
    const hasBlock = reasoning !== '' || !isUnsigned
    return [...(hasBlock ? [block] : []), ...textBlock(text), ...uses]
  }
  const blocks: JsonRecord[] = []
  let [textStart, callStart] = [0, 0]
  for (const block of thinkingBlocks) {
    const after = member(block, 'after')
    const textEnd = Math.max(textStart, numberOf(member(after, 'text')))
    const callsEnd = Math.max(callStart, numberOf(member(after, 'tool_calls')))
    blocks.push(...textBlock(text.slice(textStart, textEnd)))
    for (const use of uses.slice(callStart, callsEnd)) blocks.push(use)
    blocks.push(thinkingBlock(block))
    textStart = textEnd
    callStart = callsEnd
  }
  return [...blocks, ...textBlock(text.slice(textStart)), ...uses.slice(callStart)]
}

/** The provider's own block, without the members added for storage. */
export function thinkingBlock({ type, thinking, signature, data }: JsonRecord): JsonRecord {
  if (type === 'redacted_thinking') return { type, data: textOf(data) }
  return { type: 'thinking', thinking: textOf(thinking), signature: textOf(signature) }
}

const isToolUse = ({ type }: JsonRecord) => type === 'tool_use'

const textBlock = (text: string) => (text === '' ? [] : [{ type: 'text', text }])

function toolUseOf({ id, name, input }: ToolCallDelta, nested: NestedJson): JsonRecord {
  return {
    type: 'tool_use',
    id: escapeId(id, ANTHROPIC_IDS),
    name,
    input: inputOf(input, nested),
  }
}

/** Anthropic's clients expect message ids to begin with `msg_`. */
export function messageId(id: unknown): string {
  const text = textOf(id) || randomUUID()
  return text.startsWith('msg_') ? text : `msg_${text.replaceAll(/[^\w-]/g, '_')}`
}

type MessageEnd = {
  readonly finishReason: unknown
  readonly callsTools: boolean
  /** Null for an end of another kind. */
  readonly stopSequence: string | null
}

/** Some providers report `stop` with tool calls, or `tool_calls` without any. */
export function stopOf({ finishReason, callsTools, stopSequence }: MessageEnd): JsonRecord {
  const isOrdinary = !isCutOff(finishReason) && finishReason !== 'content_filter' && !callsTools
  if (isOrdinary && stopSequence !== null) {
    return { stop_reason: 'stop_sequence', stop_sequence: stopSequence }
  }
  return { stop_reason: stopReason(finishReason, callsTools), stop_sequence: null }
}

function stopReason(finishReason: unknown, callsTools: boolean): string {
  if (isCutOff(finishReason)) return 'max_tokens'
  if (finishReason === 'content_filter') return 'refusal'
  return callsTools ? 'tool_use' : 'end_turn'
}

/** Anthropic counts cache reads and writes separately from input. */
export function usageOf(usage: Usage): JsonRecord {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = usage
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
