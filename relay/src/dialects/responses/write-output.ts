import type { Seal, StreamEvent } from '../../form/events.ts'
import { isRecord, member, type JsonRecord, omit, listOf, textOf } from '../../json-value.ts'
import { isFlat } from '../nesting.ts'
import { textAndReasoning } from '../openai/text-and-reasoning.ts'
import { indexedCalls } from '../openai/tool-call-deltas.ts'
import type { OutputEvent } from './open-item.ts'
import type { Output } from './output.ts'

/** The order of the events gives the positions of reasoning blocks. */
export function writeEvent(output: Output, event: StreamEvent): OutputEvent[] {
  switch (event.type) {
    case 'text':
      return output.text(event.text, probabilitiesIn(event.logprobs))
    case 'reasoning':
      return output.reasoning(event.text)
    case 'refusal':
      return output.refusal(event.text)
    case 'image':
      return output.image(event.image)
    case 'tool-call':
      return output.call(event)
    case 'seal':
      return writeSeal(output, event.seal)
    default:
      return []
  }
}

function writeSeal(output: Output, { kind, value }: Seal): OutputEvent[] {
  if (kind === 'thinking_block') return isRecord(value) ? writeSignedReasoning(output, value) : []
  if (kind === 'reasoning_detail') output.keepDetail(value)
  else output.signMessage(value)
  return []
}

/** Signed reasoning blocks state their positions in the message. */
export function writeMessage(output: Output, message: unknown, logprobs: unknown): void {
  const thinkingBlocks = listOf(member(message, 'thinking_blocks')).filter(isRecord)
  const calls = indexedCalls(message)
  const signature = member(message, 'extra_content')
  if (signature !== undefined) output.signMessage(signature)
  for (const entry of listOf(member(message, 'reasoning_details'))) output.keepDetail(entry)
  const { text, reasoning } = textAndReasoning(message)
  if (thinkingBlocks.length === 0) {
    output.reasoning(reasoning)
    output.text(text, probabilitiesIn(logprobs))
    output.refusal(textOf(member(message, 'refusal')))
    for (const image of imagesOf(message)) output.image(image)
    for (const call of calls) output.call(call)
    return
  }
  let [said, callCount] = [0, 0]
  const writeUntil = (textEnd: number, callsEnd: number) => {
    output.text(text.slice(said, textEnd))
    for (const call of calls.slice(callCount, callsEnd)) output.call(call)
    said = Math.max(said, textEnd)
    callCount = Math.max(callCount, callsEnd)
  }
  for (const block of thinkingBlocks) {
    const after = block['after']
    writeUntil(numberOf(member(after, 'text')), numberOf(member(after, 'tool_calls')))
    writeSignedReasoning(output, block)
  }
  writeUntil(text.length, calls.length)
  output.refusal(textOf(member(message, 'refusal')))
  for (const image of imagesOf(message)) output.image(image)
}

/** OpenRouter and this relay's Gemini codec send images in this member. */
const imagesOf = (source: unknown) => listOf(member(source, 'images'))

/** Drops tokens nested too deep to be written again. */
const probabilitiesIn = (logprobs: unknown) =>
  listOf(member(logprobs, 'content')).filter((token) => isFlat(token))

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The order of the items gives the position, so `after` is dropped. */
function writeSignedReasoning(output: Output, block: JsonRecord): OutputEvent[] {
  return output.signedReasoning(omit(block, 'after'), textOf(block['thinking']))
}
