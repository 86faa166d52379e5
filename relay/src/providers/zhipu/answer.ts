import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  member,
  omit,
  stringifyOrEmpty,
} from '../../bytes/json-value.ts'
import { writeInSteps } from '../../bytes/json-write.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason } from '../../form/answer.ts'
import { DONE_CHUNK, dataEvent, errorChunk, type ChunkDecoder } from '../../form/chat-chunk.ts'
import { chunkDecoder } from '../../streams/event-decoder.ts'
import { encodeVectors } from '../../wires/encode-vectors.ts'
import type { AnswerCodec, ProviderCall } from '../../wires/provider-codec.ts'

/** OpenAI's format except for the finish reasons, which are translated. */
export const chatFormAnswers: AnswerCodec = {
  decode: (body, call) => {
    const json = jsonIn(body)
    if (!isRecord(json)) return body
    const { choices, data } = json
    if (call.endpoint === 'embeddings' && Array.isArray(data)) return embeddingsOf(json, data, call)
    if (!Array.isArray(choices)) return body
    if (choices.some(isBrokenOff)) return Buffer.from(stringifyOrEmpty(NETWORK_ERROR))
    return Buffer.from(stringifyOrEmpty({ ...json, choices: choices.map(withFinishReason) }))
  },
  decoder: () => chatFormDecoder(),
}

function* embeddingsOf(
  json: JsonRecord,
  data: readonly unknown[],
  { request }: ProviderCall,
): Steps<Buffer> {
  const vectors = yield* encodeVectors(
    data.map((item) => member(item, 'embedding')),
    request,
  )
  const items = data.map((item, index) =>
    isRecord(item) ? { ...item, embedding: vectors[index] } : item,
  )
  return yield* writeInSteps({ ...json, data: items })
}

function chatFormDecoder(): ChunkDecoder {
  let isFinished = false
  let isOver = false
  const event = (json: JsonRecord): Buffer[] => {
    const { choices, usage } = json
    if (isOver) return []
    if (!Array.isArray(choices)) {
      isOver = isRecord(json['error'])
      return [dataEvent(json)]
    }
    if (choices.some(isBrokenOff)) {
      isOver = true
      return [errorChunk(NETWORK_ERROR)]
    }
    isFinished ||= choices.some((choice) => typeof member(choice, 'finish_reason') === 'string')
    const contentEvent = dataEvent({
      ...omit(json, 'usage'),
      choices: choices.map(withFinishReason),
    })
    if (!isRecord(usage)) return [contentEvent]
    // Usage in an event with choices would reach clients that did not ask for it.
    const counted = dataEvent({ ...json, choices: [] })
    return choices.length === 0 ? [counted] : [contentEvent, counted]
  }
  return chunkDecoder({ event, end: () => (isFinished && !isOver ? [DONE_CHUNK] : []) })
}

const NETWORK_ERROR = {
  error: { message: 'The provider broke off its answer.', code: 'network_error' },
}

const isBrokenOff = (choice: unknown) => member(choice, 'finish_reason') === 'network_error'

function withFinishReason(choice: unknown): unknown {
  const reason = member(choice, 'finish_reason')
  if (!isRecord(choice) || typeof reason !== 'string' || reason === '') return choice
  return { ...choice, finish_reason: finishOf(reason) }
}

function finishOf(reason: string): FinishReason {
  switch (reason) {
    case 'length':
    case 'model_context_window_exceeded':
      return 'length'
    case 'sensitive':
    case 'content_filter':
      return 'content_filter'
    case 'tool_calls':
      return 'tool_calls'
    default:
      return 'stop'
  }
}
