import { readJson } from '../../json-parse.ts'
import { member } from '../../json-value.ts'
import { writeJson } from '../../json-write.ts'
import type { Steps } from '../../steps.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import { answerHead, choicesOf } from '../openai/answer.ts'
import { Output } from './output.ts'
import type { ResponseContext } from './response-context.ts'
import { endState, incompleteReason, responseHead, responseOf } from './response.ts'
import { writeMessage } from './write-output.ts'

/** `metered` replaces usage that was not reported. */
export function* responseAnswer(
  body: Buffer,
  context: ResponseContext,
  metered: Usage,
): Steps<Buffer> {
  const json = yield* readJson(body)
  const [choice] = choicesOf(json)
  const head = responseHead(answerHead(json))
  const output = new Output(context, head.id)
  writeMessage(output, member(choice, 'message'), member(choice, 'logprobs'))
  const reason = incompleteReason(member(choice, 'finish_reason'))
  output.end(reason !== null)
  const usage = parseUsage(member(json, 'usage')) ?? metered
  const state = endState(head, context, { items: output.items, reason, usage })
  const response = responseOf(head, context, state)
  return yield* writeJson(response, body.length)
}
