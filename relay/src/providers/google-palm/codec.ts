import { ByteCollector } from '../../bytes/byte-collector.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, member, listOf } from '../../bytes/json-value.ts'
import type { FinishReason, Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { answerEvents } from '../../streams/answer-events.ts'
import { gathered } from '../../streams/gather-answer.ts'
import type { AnswerCodec, ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { geminiCodec } from '../google-gemini/codec.ts'
import { encode } from './request.ts'

/*
 * Google's PaLM API, which was shut down in 2024. Channels of this type still
 * work with the names of Gemini models, which use Gemini's codec.
 *
 * | OpenAI | PaLM |
 * |---|---|
 * | system and developer messages | `prompt.context` |
 * | user and assistant messages, text only | `prompt.messages` |
 * | temperature, top_p, top_k, n | the same |
 *
 * Left out, because PaLM has no equivalent: output limits, seed, penalties, logit_bias,
 * reasoning_effort, user. Rejected: tools, functions, stop, response_format, logprobs, parts that
 * are not text, n above 8. PaLM reports no usage, so the gateway counts tokens.
 */
export const palmCodec: ProviderCodec & { readonly answers: AnswerCodec } = {
  encode: (call) => (isGemini(call) ? geminiCodec.encode(call) : encode(call)),
  answers: {
    decode: (body, call) =>
      isGemini(call) ? geminiCodec.answers.decode(body, call) : decode(body, call),
    decoder: (call) => (isGemini(call) ? geminiCodec.answers.decoder(call) : decoder(call)),
    neverStreams: true,
  },
  inlinesImages: true,
}

const isGemini = ({ model }: ProviderCall) => /^(?:models\/)?gem(?:ini|ma)-/.test(model)

type Choice = { readonly text: string; readonly finishReason: FinishReason }

function decode(body: Buffer, call: ProviderCall): Decoded {
  const choices = readChoices(jsonIn(body), call)
  return choices === null ? body : (gathered(eventsOf(choices, call)) ?? body)
}

const ANSWER_BYTES_MAX = 1024 * 1024
const TOO_LARGE = { message: 'The answer is too large.', type: 'server_error' }

/** PaLM does not stream: a stream is made of the whole answer. */
function decoder(call: ProviderCall): EventDecoder {
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
