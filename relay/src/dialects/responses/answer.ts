import { readJson } from '../../json-parse.ts'
import { member } from '../../json-value.ts'
import { writeSized } from '../../json-write.ts'
import type { Steps } from '../../steps.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import { choicesOf } from '../openai/answer.ts'
import type { Asked } from './asked.ts'
import { Output } from './output.ts'
import { headOf, incompleteReason, responseOf } from './response.ts'
import { sayMessage } from './said.ts'

/** `metered` replaces usage that was not reported. */
export function* responseAnswer(body: Buffer, asked: Asked, metered: Usage): Steps<Buffer> {
  const json = yield* readJson(body)
  const [choice] = choicesOf(json)
  const head = headOf(json)
  const output = new Output(asked, head.id)
  sayMessage(output, member(choice, 'message'), member(choice, 'logprobs'))
  const reason = incompleteReason(member(choice, 'finish_reason'))
  output.end(reason !== null)
  const response = responseOf(head, asked, {
    status: reason === null ? 'completed' : 'incomplete',
    output: output.items,
    usage: parseUsage(member(json, 'usage')) ?? metered,
    reason,
  })
  return yield* writeSized(response, body.length)
}
