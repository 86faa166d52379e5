import { upstreamUrl, bearer, jsonHeaders } from '../../addresses/upstream-request.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, textOf, isPresent } from '../../bytes/json-value.ts'
import type { Decoded } from '../../form/answer.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import { gathered } from '../../streams/gather-answer.ts'
import {
  functionsOf,
  messagesOf,
  plainTextOf,
  rejectParameters,
  toolChoiceOf,
} from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { aiProxyLibrary } from './descriptor.ts'

/*
 * AI Proxy's knowledge bases: one question, one answer from documents, which are listed below it.
 *
 * | OpenAI                                              | AI Proxy                |
 * | --------------------------------------------------- | ----------------------- |
 * | the text of the last message                        | `query`                 |
 * | the channel's knowledge base                        | `libraryId`             |
 * | n, tools, audio, images, logprobs, response_format, | rejected                |
 * | stop, web_search_options                            |                         |
 * | earlier messages, including system messages         | left out: not supported |
 * | the output limit, temperature and other settings    | left out                |
 *
 * AI Proxy reports no usage, so the gateway counts tokens.
 */
export const aiProxyLibraryCodec = {
  encode: (call) => {
    const { model, stream, channel } = call
    const { baseUrl, key, other } = channel
    const body = { model, query: questionOf(call), libraryId: other.trim(), stream }
    const path = '/api/library/ask'
    return {
      url: upstreamUrl({ descriptor: aiProxyLibrary, baseUrl, path }) ?? '',
      headers: { ...bearer(key), ...jsonHeaders(stream) },
      body: Buffer.from(JSON.stringify(body)),
    }
  },
  answers: { decode, decoder },
} as const satisfies ProviderCodec

function questionOf(call: ProviderCall): string {
  const { request } = call
  rejectParameters(request, 'n', 'logprobs', 'audio', 'response_format', 'web_search_options')
  const { stop } = request
  if (isPresent(stop) && !(Array.isArray(stop) && stop.length === 0)) {
    throw parameterError('This provider does not support stop sequences.', 'stop')
  }
  const choice = toolChoiceOf(request)
  if (choice?.type !== 'none' && functionsOf(request).length > 0) {
    throw parameterError('This provider cannot call tools.', 'tools')
  }
  const last = messagesOf(call).at(-1)
  return last === undefined ? '' : plainTextOf(last)
}

function decode(body: Buffer, call: ProviderCall): Decoded {
  const json = jsonIn(body)
  if (!isRecord(json) || isFailure(json) || typeof json['answer'] !== 'string') return body
  const text = json['answer'] + referencesOf(listOf(json['documents']))
  const events = answerEvents(call, { model: json['model'] })
  return gathered([events.start(), events.text(text), events.finish('stop')]) ?? body
}

/**
 * `finish` marks the last event. Documents are listed at the end of the stream, wherever they came.
 */
function decoder(call: ProviderCall): EventDecoder {
  let events: AnswerEvents | null = null
  let hasFinished = false
  let hasFailed = false
  const documents: unknown[] = []
  const read = (json: JsonRecord): StreamEvent[] => {
    if (hasFailed) return []
    hasFailed = isFailure(json)
    if (hasFailed) return [errorEvent(json)]
    const isFirst = events === null
    events ??= answerEvents(call, { model: json['model'] })
    documents.push(...listOf(json['documents']))
    hasFinished ||= json['finish'] === true
    return [...(isFirst ? [events.start()] : []), ...events.output(textOf(json['content']), '')]
  }
  const end = (): StreamEvent[] => {
    if (events === null || !hasFinished || hasFailed) return []
    return [...events.output(referencesOf(documents), ''), events.finish('stop'), DONE]
  }
  return sseDecoder({ event: read, end })
}

const isFailure = ({ success, errCode, error }: JsonRecord) =>
  success === false || (typeof errCode === 'number' && errCode !== 0) || isRecord(error)

function referencesOf(documents: readonly unknown[]): string {
  const lines = documents
    .filter(isRecord)
    .map(({ title, url }, index) => `${index + 1}. [${textOf(title)}](${textOf(url)})`)
  return lines.length === 0 ? '' : `\n\nReferences:\n\n${lines.join('\n')}`
}
