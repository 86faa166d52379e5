import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, member } from '../bytes/json-value.ts'
import { isRequestProblem } from '../errors/request-problem.ts'
import { parameterError } from '../form/codec-errors.ts'
import { type InlineData, readDataUrl, imageAddress } from '../media/data-url.ts'
import { imageType } from '../media/image-size.ts'
import type { TaskCall } from '../wires/provider-codec.ts'
import { type FormPart, readForm } from './form.ts'
import { taskJson } from './task-body.ts'

export type InputImage =
  | (InlineData & { readonly type: 'data' })
  | { readonly type: 'address'; readonly url: string; readonly param: string }

export type ImageEditRequest = {
  readonly images: readonly InputImage[]
  readonly json: JsonRecord
}

/** Form fields whose values are not strings. */
const JSON_FIELDS = new Set(['n', 'seed', 'stream', 'watermark', 'prompt_extend'])

/**
 * Reads an image edit request, sent as a form or as JSON, for providers with a format of their own.
 * Throws `UnsupportedParameterError`.
 */
export function readImageEdit(call: Pick<TaskCall, 'body' | 'contentType'>): ImageEditRequest {
  return /^\s*application\/json\b/i.test(call.contentType) ? inJson(call) : inForm(call)
}

function inJson(call: Pick<TaskCall, 'body'>): ImageEditRequest {
  const json = taskJson(call)
  if (isRecord(json['mask'])) throw maskError()
  return { json, images: listOf(json['images']).map(imageAt) }
}

function imageAt(image: unknown, index: number): InputImage {
  const url = imageAddress(member(image, 'image_url'))
  const param = `images.${index}`
  if (url === '')
    throw parameterError('This provider does not accept file ids: send the image itself.', param)
  if (!/^data:/i.test(url)) return { type: 'address', url, param }
  const data = readDataUrl(url)
  if (data === null) throw parameterError('The image must be base64 in a data URL.', param)
  return { type: 'data', ...data }
}

function inForm({ body, contentType }: Pick<TaskCall, 'body' | 'contentType'>): ImageEditRequest {
  const parts = readForm(body, contentType, { metered: new Set(), fileBytesMax: body.length })
  if (isRequestProblem(parts)) throw parameterError(parts.message, parts.param)
  const files = parts.filter(({ file }) => file !== null)
  if (files.some(({ name }) => name === 'mask')) throw maskError()
  // Pricing treats an empty field as absent, so the field is dropped.
  const fields = parts.filter(({ file, bytes }) => file === null && bytes.length > 0)
  return {
    images: files.map(fileOf),
    json: Object.fromEntries(fields.map(({ name, bytes }) => [name, valueOf(name, bytes)])),
  }
}

function valueOf(name: string, bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  return JSON_FIELDS.has(name) ? (jsonIn(bytes) ?? text) : text
}

function fileOf({ name, file, bytes }: FormPart): InputImage {
  const declared = file?.type.toLowerCase() ?? ''
  const mediaType = imageType(bytes) ?? (/^image\/[\w.+-]+$/.test(declared) ? declared : null)
  if (mediaType === null) throw parameterError(`The file in '${name}' is no image.`, name)
  return { type: 'data', mediaType, data: bytes.toString('base64') }
}

const maskError = () =>
  parameterError('This provider does not accept a mask: describe the change in the prompt.', 'mask')
