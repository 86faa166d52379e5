import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  textOf,
  omitAbsent,
} from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { nearestAspectRatio } from '../../tasks/aspect-ratio.ts'
import { readImageEdit, type InputImage } from '../../tasks/image-edit-request.ts'
import { maxGeminiOutputTokens, makesImageTokens } from '../../tasks/image-output.ts'
import { rejectImageStream, taskJson } from '../../tasks/task-body.ts'
import { jsonCall } from '../../wires/gemini/address.ts'
import { candidatesOf, finishReasonOf, isBlocked, usageOf } from '../../wires/gemini/read-answer.ts'
import { SAFETY_SETTINGS } from '../../wires/gemini/write-request.ts'
import type { EncodedCall, TaskCall } from '../../wires/provider-codec.ts'

/*
 * Images made and edited by Gemini's own models (Google, "Image generation", 2026-09): one at a
 * time, by aspect ratio instead of size, returned as data, and billed by tokens. The hold bounds
 * the text that comes with the image.
 *
 *   translated  prompt, size (the nearest aspect ratio), images of an edit as data
 *   rejected    n above 1, response_format url, streams, masks, images by URL or id
 *   left out    quality, style, user, background, moderation, partial_images
 */

const ASPECT_RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']

/** Whether the model is a Gemini image model, which is billed by tokens. The others are Imagen. */
export const isContentImage = ({ endpoint, model }: TaskCall) =>
  endpoint === 'imageEdits' || makesImageTokens(model)

export function encodeContentImage(call: TaskCall): EncodedCall {
  const { model } = call
  if (!makesImageTokens(model)) {
    throw parameterError("Only Gemini's image models can edit images at this provider.", 'model')
  }
  const isEdit = call.endpoint === 'imageEdits'
  const { json, images } = isEdit ? readImageEdit(call) : { json: taskJson(call), images: [] }
  rejectImageStream(json)
  const { prompt, n, size, response_format } = json
  if ((n ?? 1) !== 1) throw parameterError('This model makes one image at a time.', 'n')
  if (response_format === 'url') {
    throw parameterError('This provider returns images as data only.', 'response_format')
  }
  const imageConfig = omitAbsent({ aspectRatio: nearestAspectRatio(textOf(size), ASPECT_RATIOS) })
  const body = {
    contents: [{ role: 'user', parts: [...images.map(partOf), { text: prompt }] }],
    safetySettings: SAFETY_SETTINGS,
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      maxOutputTokens: maxGeminiOutputTokens(model),
      ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
    },
  }
  return jsonCall(call, 'generateContent', body)
}

function partOf(image: InputImage): JsonRecord {
  if (image.type === 'data') {
    return { inlineData: { mimeType: image.mediaType, data: image.data } }
  }
  throw parameterError('This provider accepts images as data only.', image.param)
}

export function decodeContentImage(body: Buffer, { now }: TaskCall): Buffer {
  const json = jsonIn(body)
  const data = candidatesOf(json).flatMap(imagesOf)
  if (data.length > 0) {
    return jsonOf({ created: Math.floor(now / 1000), data, usage: reported(json) })
  }
  const [candidate] = candidatesOf(json)
  const isFiltered =
    candidate === undefined
      ? isBlocked(json)
      : finishReasonOf(candidate, { hasCalls: false, isEmpty: true }) === 'content_filter'
  // A text answer is not the provider's fault, and the next channel would answer the same.
  if (!isFiltered && candidatesOf(json).some(hasText)) {
    const message =
      'No image was generated: the model answered with text. Describe the image to draw.'
    return jsonOf({ error: { message, code: 'invalid_value' } })
  }
  if (!isFiltered) return body
  const message = 'No image was generated: the prompt or the result was not allowed.'
  return jsonOf({ error: { message, code: 'content_policy_violation' } })
}

const jsonOf = (json: JsonRecord) => Buffer.from(JSON.stringify(json))

/** Leaves out drafts in the reasoning. */
function imagesOf({ content }: JsonRecord): JsonRecord[] {
  return listOf(member(content, 'parts')).flatMap((part) => {
    const inline = member(part, 'inlineData')
    const isImage = textOf(member(inline, 'mimeType')).startsWith('image/')
    const b64_json = textOf(member(inline, 'data'))
    return isImage && b64_json !== '' && member(part, 'thought') !== true ? [{ b64_json }] : []
  })
}

const hasText = ({ content }: JsonRecord) =>
  listOf(member(content, 'parts')).some(
    (part) => textOf(member(part, 'text')) !== '' && member(part, 'thought') !== true,
  )

function reported(json: unknown): JsonRecord | undefined {
  const usage = isRecord(json) ? usageOf(json['usageMetadata']) : null
  if (usage === null) return undefined
  const { promptTokens, completionTokens, cachedTokens, prompt } = usage
  const image_tokens = prompt?.image_tokens ?? 0
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    input_tokens_details: omitAbsent({
      image_tokens,
      text_tokens: Math.max(0, promptTokens - image_tokens),
      cached_tokens: cachedTokens,
    }),
  }
}
