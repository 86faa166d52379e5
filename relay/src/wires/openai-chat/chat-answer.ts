import { isRecord, type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import { writeJson } from '../../bytes/json-write.ts'
import type { Steps } from '../../bytes/steps.ts'
import {
  type Answer,
  type AnswerChoice,
  citationsIn,
  imagesOf,
  joinedText,
  sealsIn,
} from '../../form/answer.ts'
import { choicesOf } from '../../form/chat-chunk.ts'
import type { OutputItem, ToolCallEvent } from '../../form/events.ts'
import { inOrder, positionOf } from '../../form/position.ts'
import { chatAnnotations } from '../annotations.ts'
import type { ChargedAnswer } from '../client-dialect.ts'
import { answerHead, usageReport } from './answer-summary.ts'
import { messageEvents } from './chunk-events.ts'
import { finalReport } from './final-usage.ts'
import { matchedSequence } from './finish-reason.ts'

/** Reads a chat completion that its client cannot read. */
export const readChatAnswer = (json: unknown): Answer => ({
  head: answerHead(json),
  choices: choicesOf(json).map(readChoice),
  usage: usageReport(json),
})

const readChoice = (choice: JsonRecord): AnswerChoice => ({
  items: isRecord(choice['message']) ? itemsIn(choice['message']) : [],
  finishReason: textOf(choice['finish_reason']),
  stopSequence: matchedSequence(choice),
  logprobs: choice['logprobs'] ?? undefined,
})

function itemsIn(message: JsonRecord): OutputItem[] {
  let calls = 0
  const items = messageEvents(message).flatMap((event): OutputItem[] => {
    switch (event.type) {
      case 'tool-call':
        calls += 1
        return [{ ...event, index: calls - 1 }]
      case 'text':
      case 'reasoning':
      case 'refusal':
      case 'seal':
      case 'image':
      case 'citations':
      case 'other':
        return [event]
      default:
        return []
    }
  })
  const signed = items.filter(isSigned)
  return signed.length === 0 ? items : withPlaces(items, signed)
}

type SealItem = Extract<OutputItem, { readonly type: 'seal' }>

const isSigned = (item: OutputItem): item is SealItem =>
  item.type === 'seal' && item.seal.kind === 'thinking_block'

function withPlaces(items: readonly OutputItem[], signed: readonly SealItem[]): OutputItem[] {
  const text = joinedText(items, 'text')
  const said = (type: 'text' | 'reasoning', piece: string): OutputItem[] =>
    piece === '' ? [] : [{ type, choice: 0, text: piece, logprobs: undefined }]
  const ordered = inOrder({
    textBetween: (start, end) => said('text', text.slice(start, end)),
    calls: items.filter(({ type }) => type === 'tool-call'),
    reasoning: signed.map((item) => {
      const { value } = item.seal
      const reasoning = said('reasoning', textOf(member(value, 'thinking')))
      return { items: [...reasoning, item], after: positionOf(value) }
    }),
  })
  return [...ordered, ...items.filter((item) => !ORDERED.has(item.type) && !isSigned(item))]
}

const ORDERED: ReadonlySet<OutputItem['type']> = new Set(['text', 'reasoning', 'tool-call'])

/** Writes a chat completion. */
export function writeChatAnswer(
  { head, choices, usage: reported }: Answer,
  { usage, bytes }: ChargedAnswer,
): Steps<Buffer> {
  const completion = {
    ...head,
    object: 'chat.completion',
    choices: choices.map(({ items, finishReason, logprobs }, index) => ({
      index,
      message: messageOf(items),
      logprobs,
      finish_reason: finishReason,
    })),
    usage: reported ?? finalReport({ ...usage, reported }),
  }
  return writeJson(completion, bytes)
}

function messageOf(items: readonly OutputItem[]): JsonRecord {
  const [reasoning, refusal] = [joinedText(items, 'reasoning'), joinedText(items, 'refusal')]
  const calls = items.flatMap((item) => (item.type === 'tool-call' ? [toolCallOf(item)] : []))
  const signature = sealsIn(items, 'signature').at(-1)
  return {
    role: 'assistant',
    content: items.some(({ type }) => type === 'text') ? joinedText(items, 'text') : null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...listMember('tool_calls', calls),
    ...listMember('thinking_blocks', sealsIn(items, 'thinking_block')),
    ...listMember('images', imagesOf(items)),
    ...listMember('annotations', chatAnnotations(citationsIn(items))),
    ...listMember('reasoning_details', sealsIn(items, 'reasoning_detail')),
    ...(refusal === '' ? {} : { refusal }),
    ...(signature === undefined ? {} : { extra_content: signature }),
  }
}

const listMember = (name: string, values: readonly unknown[]): JsonRecord =>
  values.length === 0 ? {} : { [name]: values }

export const toolCallOf = ({ id, name, input, isCustom, signature }: ToolCallEvent) => ({
  id,
  ...(isCustom
    ? { type: 'custom', custom: { name, input } }
    : { type: 'function', function: { name, arguments: input } }),
  ...(signature === undefined ? {} : { extra_content: signature }),
})
