import { jsonIn } from '../../bytes/json-parse.ts'
import { type JsonRecord, listOf, member, textOf, omitAbsent } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { nearestAspectRatio } from '../../tasks/aspect-ratio.ts'
import { rejectImageStream, taskJson } from '../../tasks/task-body.ts'
import { jsonCall } from '../../wires/gemini/address.ts'
import type { EncodedCall, TaskCall } from '../../wires/provider-codec.ts'

/*
 * Imagen takes an aspect ratio instead of a size, and returns data. Quality, style and user are
 * left out. Image URLs as output and streams are rejected.
 */

const ASPECT_RATIOS = ['1:1', '4:3', '3:4', '16:9', '9:16']

export function encodeImages(call: TaskCall): EncodedCall {
  const json = taskJson(call)
  const { prompt, n, size, response_format } = json
  rejectImageStream(json)
  if (response_format === 'url') {
    throw parameterError('This provider returns images as data only.', 'response_format')
  }
  // Imagen's default is four images.
  const parameters = omitAbsent({
    sampleCount: n ?? 1,
    aspectRatio: nearestAspectRatio(textOf(size), ASPECT_RATIOS),
  })
  return jsonCall(call, 'predict', { instances: [{ prompt }], parameters })
}

export function decodeImages(body: Buffer, { now }: TaskCall): Buffer {
  const predictions = listOf(member(jsonIn(body), 'predictions'))
  const data = predictions.flatMap((prediction): JsonRecord[] => {
    const b64_json = textOf(member(prediction, 'bytesBase64Encoded'))
    return b64_json === '' ? [] : [{ b64_json }]
  })
  if (data.length === 0) return body
  return Buffer.from(JSON.stringify({ created: Math.floor(now / 1000), data }))
}
