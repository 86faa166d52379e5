import { ByteCollector } from '../../byte-collector.ts'
import {
  type AnswerHead,
  chatAnswer,
  ChatEvents,
  DONE_EVENT,
  errorEventOf,
  type FinishReason,
} from '../../codec/chat-events.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, listOf } from '../../json-value.ts'

type Choice = { readonly text: string; readonly finishReason: FinishReason }

export function decode(body: Buffer, call: ProviderCall): Buffer {
  const choices = readChoices(jsonIn(body), call)
  return choices === null ? body : chatAnswer(headOf(call), choices, null)
}

const ANSWER_BYTES_MAX = 1024 * 1024
const TOO_LARGE = { message: 'The answer is too large.', type: 'server_error' }

/** PaLM does not stream: a stream is made of the whole answer. */
export function decoder(call: ProviderCall): StreamDecoder {
  const collector = new ByteCollector()
  return {
    push: (chunk) => {
      if (collector.size <= ANSWER_BYTES_MAX) collector.add(chunk)
      return []
    },
    end: () => {
      if (collector.size > ANSWER_BYTES_MAX) return [errorEventOf(TOO_LARGE)]
      const json = jsonIn(collector.bytes())
      const choices = readChoices(json, call)
      if (choices !== null) return eventsOf(choices, call)
      return isRecord(json) ? [errorEventOf(json)] : []
    },
  }
}

function eventsOf(choices: readonly Choice[], call: ProviderCall): Buffer[] {
  const events = new ChatEvents(headOf(call))
  const said = choices.flatMap(({ text, finishReason }, index) => [
    events.delta({ role: 'assistant', content: '' }, index),
    ...(text === '' ? [] : [events.text(text, index)]),
    events.finish(finishReason, index),
  ])
  return [...said, DONE_EVENT]
}

/** Pads to the requested count: missing choices were filtered. Null if `json` is not an answer. */
function readChoices(json: unknown, { request }: ProviderCall): Choice[] | null {
  const candidates = listOf(member(json, 'candidates'))
  if (candidates.length === 0 && listOf(member(json, 'filters')).length === 0) return null
  const count = typeof request['n'] === 'number' ? request['n'] : 1
  return Array.from({ length: count }, (_none, index) => {
    const content = member(candidates[index], 'content')
    return typeof content === 'string'
      ? { text: content, finishReason: 'stop' }
      : { text: '', finishReason: 'content_filter' }
  })
}

const headOf = ({ id, model, now }: ProviderCall): AnswerHead => ({
  id,
  created: Math.floor(now / 1000),
  model,
})
