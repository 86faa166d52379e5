import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  textOf,
  omitAbsent,
  pick,
} from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { readImageEdit } from '../../tasks/image-edit-request.ts'
import { plainRerank, rejectImageStream, taskJson } from '../../tasks/task-body.ts'
import type { TaskCall, TaskQueue } from '../../wires/provider-codec.ts'

/*
 * Images and rerank (Model Studio, "Text-to-image", "Qwen-Image-Edit", "Text rerank", 2026-01).
 * Most image models queue their requests. The newest models answer at once, at the URL of vision
 * models.
 *
 *   images   translated  prompt, n, size (`1024*1024`), the One API family's names of Stable
 *                        Diffusion; DashScope's own `negative_prompt`, `seed`, `style`,
 *                        `prompt_extend`, `watermark`
 *            rejected    response_format b64_json (images are returned as URLs), stream
 *            left out    quality, OpenAI's style, user, background, moderation
 *   edits    the same, with up to three images as data or by URL; only models that answer at once
 *            rejected    mask
 *   rerank   translated  query, documents, top_n, return_documents; `instruct` by its own name
 */
const QUEUE_PATH = '/services/aigc/text2image/image-synthesis'
const SYNCHRONOUS_PATH = '/services/aigc/multimodal-generation/generation'
const RERANK_PATH = '/services/rerank/text-rerank/text-rerank'
const TASK_PATH = '/tasks/'

const SYNCHRONOUS_MODELS = /^(?:qwen-image|wan2\.[6-9])/
const VISION_MODELS = /-vl-/
const INPUT_IMAGES_MAX = 3

type Encoded = { readonly path: string; readonly isQueued: boolean; readonly body: JsonRecord }

export function taskRequest(call: TaskCall): Encoded {
  if (call.endpoint === 'imageEdits') return editRequest(call)
  const json = taskJson(call)
  return call.endpoint === 'rerank' ? rerankRequest(call, json) : imageRequest(call, json)
}

function rerankRequest({ model }: TaskCall, json: JsonRecord): Encoded {
  const { query, documents } = VISION_MODELS.test(model) ? json : plainRerank(json)
  const parameters = pick(json, 'top_n', 'return_documents', 'instruct')
  return {
    path: RERANK_PATH,
    isQueued: false,
    body: { model, input: { query, documents }, parameters },
  }
}

function imageRequest(call: TaskCall, json: JsonRecord): Encoded {
  const { prompt, negative_prompt } = json
  if (!isQueued(call)) return synchronousRequest(call, json, [{ text: prompt }])
  const body = {
    model: call.model.replace(/^ali-(?=stable-diffusion)/, ''),
    input: omitAbsent({ prompt, negative_prompt }),
    parameters: parametersOf(json),
  }
  return { path: QUEUE_PATH, isQueued: true, body }
}

function editRequest(call: TaskCall): Encoded {
  if (!SYNCHRONOUS_MODELS.test(call.model)) {
    const message = 'This provider edits images with qwen-image models, and with wan2.6 and later.'
    throw parameterError(message, 'model')
  }
  const { images: pictures, json } = readImageEdit(call)
  if (pictures.length > INPUT_IMAGES_MAX) {
    throw parameterError(`This provider takes at most ${INPUT_IMAGES_MAX} images.`, 'image')
  }
  const images = pictures.map((image) => ({
    image: image.type === 'data' ? `data:${image.mediaType};base64,${image.data}` : image.url,
  }))
  return synchronousRequest(call, json, [...images, { text: json['prompt'] }])
}

function synchronousRequest(
  { model }: TaskCall,
  json: JsonRecord,
  content: readonly JsonRecord[],
): Encoded {
  const body = {
    model,
    input: { messages: [{ role: 'user', content }] },
    parameters: { ...parametersOf(json), ...pick(json, 'negative_prompt') },
  }
  return { path: SYNCHRONOUS_PATH, isQueued: false, body }
}

function parametersOf(json: JsonRecord): JsonRecord {
  rejectImageStream(json)
  if (json['response_format'] === 'b64_json') {
    throw parameterError('This provider returns images as URLs only.', 'response_format')
  }
  return omitAbsent({
    size: sizeOf(textOf(json['size'])),
    // Several models default to four images.
    n: json['n'] ?? 1,
    ...pick(json, 'seed', 'style', 'prompt_extend', 'watermark'),
  })
}

/** `auto` and an empty size leave the size to the model. */
const sizeOf = (size: string) => (size === 'auto' ? undefined : size.replace('x', '*') || undefined)

const isQueued = ({ endpoint, model }: TaskCall) =>
  endpoint === 'images' && !SYNCHRONOUS_MODELS.test(model)

export const aliQueue = (
  addressOf: (call: TaskCall, path: string) => ReturnType<TaskQueue['pollRequest']>,
): TaskQueue => ({
  isNeeded: isQueued,
  readTaskId: (body) => {
    const taskId = textOf(member(outputOf(body), 'task_id'))
    return taskId !== '' && taskId.isWellFormed() ? taskId : null
  },
  pollRequest: (call, taskId) => addressOf(call, TASK_PATH + encodeURIComponent(taskId)),
  isDone: (body) => !['PENDING', 'RUNNING'].includes(textOf(member(outputOf(body), 'task_status'))),
})

const outputOf = (body: Buffer) => member(jsonIn(body), 'output')

export function decodeTask(body: Buffer, { endpoint, model, now }: TaskCall): Buffer {
  const json = jsonIn(body)
  const output = member(json, 'output')
  if (endpoint === 'rerank') {
    const results = member(output, 'results')
    if (!Array.isArray(results)) return body
    return jsonOf({ id: member(json, 'request_id'), model, results, usage: member(json, 'usage') })
  }
  const data = [...listOf(member(output, 'results')), ...imagesOf(output)].flatMap(imageOf)
  if (data.length > 0) return jsonOf({ created: Math.floor(now / 1000), data })
  const code = member(output, 'code') ?? member(listOf(member(output, 'results'))[0], 'code')
  const message = member(output, 'message')
  return code === undefined ? body : jsonOf({ error: { code, message } })
}

const jsonOf = (json: JsonRecord) => Buffer.from(JSON.stringify(json))

/** For models that answer at once: images are in the content of the choices. */
const imagesOf = (output: unknown) =>
  listOf(member(output, 'choices')).flatMap((choice) =>
    listOf(member(member(choice, 'message'), 'content')),
  )

/** An image that could not be made has a code instead of a URL. */
function imageOf(result: unknown): JsonRecord[] {
  if (!isRecord(result)) return []
  const url = textOf(result['url']) || textOf(result['image'])
  const data = textOf(result['b64_image'])
  const revised_prompt = textOf(result['actual_prompt']) || undefined
  if (url === '' && data === '') return []
  return [omitAbsent({ url: url || undefined, b64_json: data || undefined, revised_prompt })]
}
