import { AnswerEvents, reportOf } from '../../codec/answer-events.ts'
import type { Decoded, ProviderCall } from '../../codec/provider-codec.ts'
import { withText } from '../../codec/whole-answer.ts'
import type { AnswerHead, OutputItem } from '../../form/events.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, listOf, member, stringifyOrEmpty, textOf } from '../../json-value.ts'
import { PARAGRAPH } from './items.ts'
import {
  callIn,
  failureOf,
  finishReasonOf,
  logprobsIn,
  reasoningIn,
  refusalIn,
  textIn,
  usageOf,
} from './output.ts'
import { storedReasoning } from './reasoning.ts'

export function decode(body: Buffer, call: ProviderCall): Decoded {
  const response = jsonIn(body)
  if (!isRecord(response) || !Array.isArray(response['output'])) return body
  const failure = failureOf(response)
  if (failure !== null) return Buffer.from(stringifyOrEmpty({ error: failure }))
  const head = headOf(response, call)
  const output = response['output']
  const items = readItems(output, call, new AnswerEvents(head))
  const callsTools = items.some(({ type }) => type === 'tool-call')
  const tokens = output.flatMap((item) => listOf(member(item, 'content')).flatMap(logprobsIn))
  const usage = usageOf(response)
  const choice = {
    items: withText(items),
    finishReason: finishReasonOf(response, callsTools),
    logprobs: tokens.length === 0 ? undefined : { content: tokens },
  }
  return { head, choices: [choice], usage: usage && reportOf(usage) }
}

export function headOf(response: unknown, { id, model, now }: ProviderCall): AnswerHead {
  const created = member(response, 'created_at')
  return {
    id: textOf(member(response, 'id')) || id,
    created: Math.floor(typeof created === 'number' ? created : now / 1000),
    model: textOf(member(response, 'model')) || model,
  }
}

function readItems(
  given: readonly unknown[],
  { id, model }: ProviderCall,
  events: AnswerEvents,
): OutputItem[] {
  const items: OutputItem[] = []
  const position = { text: 0, toolCalls: 0 }
  let hasReasoning = false
  for (const item of given) {
    switch (member(item, 'type')) {
      case 'message': {
        const text = paragraph(textIn(item), position.text > 0)
        const refusal = refusalIn(item)
        position.text += text.length
        if (text !== '') items.push(events.text(text))
        if (refusal !== '') items.push(events.refusal(refusal))
        break
      }
      case 'reasoning': {
        const reasoning = paragraph(reasoningIn(item), hasReasoning)
        hasReasoning ||= reasoning !== ''
        if (reasoning !== '') items.push(events.reasoning(reasoning))
        const stored = storedReasoning(item, model, position)
        if (stored !== null) items.push(events.seal('reasoning_detail', stored))
        break
      }
      default: {
        const call = callIn(item)
        if (call === null) break
        const callId = call.id || `${id}-${position.toolCalls}`
        items.push(events.toolCall(position.toolCalls, { ...call, id: callId }))
        position.toolCalls += 1
      }
    }
  }
  return items
}

const paragraph = (text: string, isNext: boolean) =>
  text !== '' && isNext ? PARAGRAPH + text : text
