import { isRecord, member, type JsonRecord, omit, listOf, textOf } from '../../bytes/json-value.ts'
import type { AnswerChoice } from '../../form/answer.ts'
import type { Seal, StreamEvent } from '../../form/events.ts'
import { isFlat } from '../../form/nested-json.ts'
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
    case 'citations':
      return output.cite(event.citations)
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

/** The log probabilities are those of the whole text. */
export function writeChoice(output: Output, { items, logprobs }: AnswerChoice): void {
  let tokens = logprobs
  for (const item of items) {
    const isSaid = item.type === 'text' && item.text !== ''
    writeEvent(output, isSaid ? { ...item, logprobs: tokens } : item)
    if (isSaid) tokens = undefined
  }
}

/** Drops tokens nested too deep to be written again. */
const probabilitiesIn = (logprobs: unknown) =>
  listOf(member(logprobs, 'content')).filter((token) => isFlat(token))

/** The order of the items gives the position, so `after` is dropped. */
function writeSignedReasoning(output: Output, block: JsonRecord): OutputEvent[] {
  return output.signedReasoning(omit(block, 'after'), textOf(block['thinking']))
}
