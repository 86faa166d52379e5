import { jsonIn } from '../bytes/json-parse.ts'
import { NODES_MAX } from '../bytes/json-scan.ts'
import { isRecord, type JsonRecord, listOf } from '../bytes/json-value.ts'
import { parameterError } from '../form/codec-errors.ts'
import type { TaskCall } from '../wires/provider-codec.ts'

/** The body was parsed as an object earlier, so `{}` is only a fallback. */
export function taskJson({ body }: Pick<TaskCall, 'body'>): JsonRecord {
  const json = jsonIn(body, NODES_MAX)
  return isRecord(json) ? json : {}
}

/** For providers that cannot stream images. Throws `UnsupportedParameterError`. */
export function rejectImageStream(json: JsonRecord): void {
  if (json['stream'] !== true) return
  throw parameterError('This provider does not stream images.', 'stream')
}

/** For providers that rank plain texts only, not objects. Throws `UnsupportedParameterError`. */
export function plainRerank(json: JsonRecord): JsonRecord {
  return {
    ...json,
    query: plainText(json['query'], 'query'),
    documents: listOf(json['documents']).map((item, index) =>
      plainText(item, `documents.${index}`),
    ),
  }
}

function plainText(item: unknown, param: string): string {
  const text = isRecord(item) ? item['text'] : item
  if (typeof text === 'string') return text
  throw parameterError('This provider compares texts only.', param)
}
