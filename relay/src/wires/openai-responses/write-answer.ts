import { writeJson } from '../../bytes/json-write.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { Answer } from '../../form/answer.ts'
import type { ChargedAnswer } from '../client-dialect.ts'
import { Output } from './output.ts'
import type { ResponseContext } from './response-context.ts'
import { writeChoice } from './write-output.ts'
import { endState, incompleteReason, responseHead, responseOf } from './write-response.ts'

export function responseAnswer(
  { head: given, choices: [choice] }: Answer,
  context: ResponseContext,
  { usage, bytes }: ChargedAnswer,
): Steps<Buffer> {
  const head = responseHead(given, context)
  const output = new Output(context, head.id)
  if (choice !== undefined) writeChoice(output, choice)
  const reason = incompleteReason(choice?.finishReason)
  output.end(reason !== null)
  const state = endState(head, context, { items: output.items, reason, usage })
  return writeJson(responseOf(head, context, state), bytes)
}
