import { ByteCollector } from '../../bytes/byte-collector.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, member, listOf } from '../../bytes/json-value.ts'
import type { FinishReason, Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { answerEvents } from '../../streams/answer-events.ts'
import { gathered } from '../../streams/gather-answer.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

type Choice = { readonly text: string; readonly finishReason: FinishReason }

export function decode(body: Buffer, call: ProviderCall): Decoded {
  const choices = readChoices(jsonIn(body), call)
  return choices === null ? body : (gathered(eventsOf(choices, call)) ?? body)
}

const ANSWER_BYTES_MAX = 1024 * 1024
const TOO_LARGE = { message: 'The answer is too large.', type: 'server_error' }

/** PaLM does not stream: a stream is made of the whole answer. */
export function decoder(call: ProviderCall): EventDecoder {
  const collector = new ByteCollector()
  return {
    form: 'events',
    push: (chunk) => {
      if (collector.size <= ANSWER_BYTES_MAX) collector.add(chunk)
      return []
    },
    end: () => {
      if (collector.size > ANSWER_BYTES_MAX) return [errorEvent(TOO_LARGE)]
      const json = jsonIn(collector.bytes())
      const choices = readChoices(json, call)
      if (choices !== null) return eventsOf(choices, call)
      return isRecord(json) ? [errorEvent(json)] : []
    },
  }
}

function eventsOf(choices: readonly Choice[], call: ProviderCall): StreamEvent[] {
  const events = answerEvents(call)
  const said = choices.flatMap(({ text, finishReason }, index) => [
    events.start(index),
    ...events.output(text, '', index),
    events.finish(finishReason, index),
  ])
  return [...said, DONE]
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
