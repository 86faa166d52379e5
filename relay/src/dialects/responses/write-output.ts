import { isRecord, member, type JsonRecord, omit, listOf, textOf } from '../../json-value.ts'
import { isFlat } from '../nesting.ts'
import { textAndReasoning } from '../openai/text-and-reasoning.ts'
import { indexedCalls } from '../openai/tool-call-deltas.ts'
import type { OutputEvent } from './open-item.ts'
import type { Output } from './output.ts'

/** The order of the deltas gives the positions of reasoning blocks. */
export function writeDelta(output: Output, delta: unknown, logprobs: unknown): OutputEvent[] {
  signMessage(output, delta)
  output.keepDetails(delta)
  const { text, reasoning } = textAndReasoning(delta)
  return [
    ...output.reasoning(reasoning),
    ...thinkingBlocksOf(delta).flatMap((block) => writeSignedReasoning(output, block)),
    ...output.text(text, probabilitiesIn(logprobs)),
    ...output.refusal(textOf(member(delta, 'refusal'))),
    ...imagesOf(delta).flatMap((image) => output.image(image)),
    ...listOf(member(delta, 'tool_calls')).flatMap((piece) => output.call(piece)),
  ]
}

/** Signed reasoning blocks state their positions in the message. */
export function writeMessage(output: Output, message: unknown, logprobs: unknown): void {
  const thinkingBlocks = thinkingBlocksOf(message)
  const [first] = thinkingBlocks
  const calls = indexedCalls(message)
  if (first === undefined) {
    const said = isRecord(message) ? { ...message, tool_calls: calls } : message
    return void writeDelta(output, said, logprobs)
  }
  signMessage(output, message)
  output.keepDetails(message)
  const { text } = textAndReasoning(message)
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

const thinkingBlocksOf = (source: unknown) =>
  listOf(member(source, 'thinking_blocks')).filter(isRecord)

/** The order of the items gives the position, so `after` is dropped. */
function writeSignedReasoning(output: Output, block: JsonRecord): OutputEvent[] {
  return output.signedReasoning(omit(block, 'after'), textOf(block['thinking']))
}

function signMessage(output: Output, source: unknown): void {
  const signature = member(source, 'extra_content')
  if (signature !== undefined) output.signMessage(signature)
}
