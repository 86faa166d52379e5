import { isRecord, member, type JsonRecord, without, listOf, textOf } from '../../json-value.ts'
import { isFlat } from '../nesting.ts'
import { wholeCalls } from '../openai/tool-call-deltas.ts'
import { wordsOf } from '../openai/words.ts'
import type { OutputEvent } from './open-item.ts'
import type { Output } from './output.ts'

/** The order of the deltas gives the positions of reasoning blocks. */
export function sayDelta(output: Output, delta: unknown, logprobs: unknown): OutputEvent[] {
  signMessage(output, delta)
  const { text, reasoning } = wordsOf(delta)
  return [
    ...output.thought(reasoning),
    ...thoughtsOf(delta).flatMap((thought) => signed(output, thought)),
    ...output.text(text, probabilitiesIn(logprobs)),
    ...output.refusal(textOf(member(delta, 'refusal'))),
    ...picturesOf(delta).flatMap((picture) => output.picture(picture)),
    ...listOf(member(delta, 'tool_calls')).flatMap((piece) => output.call(piece)),
  ]
}

/** Signed reasoning blocks state their positions in the message. */
export function sayMessage(output: Output, message: unknown, logprobs: unknown): void {
  const thoughts = thoughtsOf(message)
  const [first] = thoughts
  const calls = wholeCalls(message)
  if (first === undefined) {
    const said = isRecord(message) ? { ...message, tool_calls: calls } : message
    return void sayDelta(output, said, logprobs)
  }
  signMessage(output, message)
  const { text } = wordsOf(message)
  let [said, called] = [0, 0]
  const sayUntil = (textEnd: number, callsEnd: number) => {
    output.text(text.slice(said, textEnd))
    for (const piece of calls.slice(called, callsEnd)) output.call(piece)
    said = Math.max(said, textEnd)
    called = Math.max(called, callsEnd)
  }
  for (const thought of thoughts) {
    const after = thought['after']
    sayUntil(numberOf(member(after, 'text')), numberOf(member(after, 'tool_calls')))
    signed(output, thought)
  }
  sayUntil(text.length, calls.length)
  output.refusal(textOf(member(message, 'refusal')))
  for (const picture of picturesOf(message)) output.picture(picture)
}

/** OpenRouter and this relay's Gemini codec send images in this member. */
const picturesOf = (said: unknown) => listOf(member(said, 'images'))

/** Drops tokens nested too deep to be written again. */
const probabilitiesIn = (logprobs: unknown) =>
  listOf(member(logprobs, 'content')).filter((token) => isFlat(token))

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

const thoughtsOf = (said: unknown) => listOf(member(said, 'thinking_blocks')).filter(isRecord)

/** The order of the items gives the position, so `after` is dropped. */
function signed(output: Output, thought: JsonRecord): OutputEvent[] {
  return output.signedThought(without(thought, 'after'), textOf(thought['thinking']))
}

function signMessage(output: Output, said: unknown): void {
  const signature = member(said, 'extra_content')
  if (signature !== undefined) output.signMessage(signature)
}
