import { randomUUID } from 'node:crypto'
import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { writeJson } from '../../bytes/json-write.ts'
import type { Steps } from '../../bytes/steps.ts'
import { ANTHROPIC_IDS } from '../../cards/alphabets.ts'
import { escapeId } from '../../fit/ids.ts'
import { type Answer, joinedText } from '../../form/answer.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import type { OutputItem } from '../../form/events.ts'
import { NestedJson, inputOf } from '../../form/nested-json.ts'
import type { Usage } from '../../usage/usage.ts'
import type { ChargedAnswer } from '../client-dialect.ts'
import { isCutOff } from '../openai-chat/finish-reason.ts'
import { encryptDetails, ReasoningDetails } from '../openai-chat/reasoning-details.ts'
import { type ToolCallDelta, ToolCallDeltas } from '../openai-chat/tool-call-deltas.ts'
import { blockCitations } from './citations.ts'

export function messageAnswer(
  { head, choices }: Answer,
  { usage, bytes }: ChargedAnswer,
  cipher: ContentCipher,
): Steps<Buffer> {
  const { items = [], finishReason, stopSequence = null } = choices[0] ?? {}
  const content = blocksOf(items, head.id, cipher)
  const answer = {
    id: messageId(head.id),
    type: 'message',
    role: 'assistant',
    model: head.model,
    content,
    ...stopOf({ finishReason, callsTools: content.some(isToolUse), stopSequence }),
    usage: usageOf(usage),
  }
  return writeJson(answer, bytes)
}

/** Between two signed blocks of reasoning the text precedes the tool calls. */
function blocksOf(
  items: readonly OutputItem[],
  answerId: string,
  cipher: ContentCipher,
): JsonRecord[] {
  const blocks: JsonRecord[] = []
  const nested = new NestedJson()
  const calls = new ToolCallDeltas(answerId)
  const details = new ReasoningDetails()
  let text = ''
  let uses: JsonRecord[] = []
  let citations: JsonRecord[] = []
  const flush = () => {
    const cited = citations.length === 0 ? {} : { citations }
    if (text !== '') citations = []
    blocks.push(...textBlock(text, cited), ...uses)
    text = ''
    uses = []
  }
  const addUse = (call: ToolCallDelta | null) => {
    if (call !== null) uses.push(toolUseOf(call, nested))
  }
  for (const item of items) {
    if (item.type === 'text') text += item.text
    else if (item.type === 'citations')
      citations = [...citations, ...blockCitations(item.citations)]
    else if (item.type === 'tool-call') addUse(calls.push(item))
    else if (item.type === 'seal') {
      const { kind, value } = item.seal
      if (kind === 'reasoning_detail') details.push(value)
      else if (kind === 'thinking_block' && isRecord(value)) {
        flush()
        blocks.push(thinkingBlock(value))
      }
    }
  }
  for (const call of calls.end()) addUse(call)
  if (joinedText(items, 'text') === '') text = joinedText(items, 'refusal')
  const isSigned = blocks.some(({ type }) => type !== 'text' && type !== 'tool_use')
  flush()
  if (isSigned) return blocks
  const entries = [...details.entries, ...calls.signatures]
  const thinking = joinedText(items, 'reasoning')
  if (thinking === '' && entries.length === 0) return blocks
  const signature = entries.length === 0 ? '' : encryptDetails(entries, cipher)
  return [{ type: 'thinking', thinking, signature }, ...blocks]
}

/** The provider's own block, without the members added for storage. */
export function thinkingBlock({ type, thinking, signature, data }: JsonRecord): JsonRecord {
  if (type === 'redacted_thinking') return { type, data: textOf(data) }
  return { type: 'thinking', thinking: textOf(thinking), signature: textOf(signature) }
}

const isToolUse = ({ type }: JsonRecord) => type === 'tool_use'

const textBlock = (text: string, cited: JsonRecord) =>
  text === '' ? [] : [{ type: 'text', text, ...cited }]

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
