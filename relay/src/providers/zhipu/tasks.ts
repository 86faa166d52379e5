import { type JsonRecord, omit, isPresent } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { plainRerank, rejectImageStream, taskJson } from '../../tasks/task-body.ts'
import type { TaskCall } from '../../wires/provider-codec.ts'

const SOUNDS = ['wav', 'pcm']

export function taskBody(call: TaskCall): Buffer {
  switch (call.endpoint) {
    case 'images':
      return bytesOf(imageBody(taskJson(call)))
    case 'speech':
      return bytesOf(speechBody(taskJson(call)))
    case 'rerank':
      return bytesOf(plainRerank(taskJson(call)))
    default:
      return call.body
  }
}

const bytesOf = (json: JsonRecord) => Buffer.from(JSON.stringify(json))

function imageBody(json: JsonRecord): JsonRecord {
  const { n, response_format: format } = json
  rejectImageStream(json)
  if (format === 'b64_json') {
    throw parameterError('This provider returns images as URLs only.', 'response_format')
  }
  if (isPresent(n) && n !== 1) throw parameterError('This provider makes one image at a time.', 'n')
  return omit(json, 'n', 'response_format', 'stream', 'partial_images')
}

/** Zhipu's default is raw samples, which have no header that says how to play them. */
function speechBody(json: JsonRecord): JsonRecord {
  const { response_format: format, stream_format: stream } = json
  if (stream === 'sse') {
    throw parameterError('This provider does not stream speech.', 'stream_format')
  }
  const isKnown = !isPresent(format) || SOUNDS.some((sound) => sound === format)
  if (!isKnown) {
    throw parameterError('This provider gives speech as wav or pcm.', 'response_format')
  }
  return { ...omit(json, 'stream', 'stream_format'), response_format: format ?? 'wav' }
}
