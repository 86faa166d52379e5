import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import { imageAddress } from '../media/data-url.ts'
import { type ImageSize, imageSize, imageSizeIn } from '../media/image-size.ts'
import type { RelayRequest, MeasureContext } from '../relay-request.ts'
import { countText } from '../tokens/count-text.ts'
import { imageTokens } from '../tokens/image-tokens.ts'
import { NO_USAGE, type Usage } from '../usage/usage.ts'
import { checkInteger, missing, unsupported, wrongType } from '../wires/openai-chat/check-fields.ts'
import { asksStream, fileIn, readFormTask } from './form-task.ts'
import { fieldOf, type FormPart } from './form.ts'
import { type DeliveredImages, deliveredImages, observeImages } from './image-events.ts'
import {
  imageOutputTokens,
  makesImageTokens,
  maxImageOutputTokens,
  readsPromptPerImage,
  streamsImages,
} from './image-output.ts'
import { checkImageTerms, imageFactor, type ImageTerms, isPricedPerImage } from './image-pricing.ts'
import { readJsonTask, summaryIn, type TaskTerms } from './json-task.ts'
import { eventsIn } from './task-observer.ts'
import type { TaskReader } from './task.ts'
import { tokensForUnits, usageForUnits } from './units.ts'

/** OpenAI's default model for this endpoint. */
const DEFAULT_MODEL = 'dall-e-2'
/** OpenAI's limit per input image. */
const FILE_BYTES_MAX = 50 * 1024 * 1024
const PARTIAL_IMAGES_MAX = 3
const PARTIAL_IMAGE_TOKENS = 100
/**
 * Upper bound per input image. GPT Image uses at most 6821 tokens; Gemini is charged no more than
 * this for a larger image.
 */
const INPUT_IMAGE_TOKENS_MAX = 8192
/** OpenAI adds hidden tokens to each prompt; about 30 were measured. */
const HIDDEN_TOKENS_MAX = 256

/** Names other providers use for `n`. Some providers honor them in OpenAI's format too. */
const UNSUPPORTED_COUNTS = [
  'batch_size',
  'num_images',
  'num_outputs',
  'sample_count',
  'image_count',
]
const METERED = [
  'prompt',
  'n',
  'size',
  'quality',
  'partial_images',
  'input_fidelity',
  ...UNSUPPORTED_COUNTS,
]

type ImageRequest = ImageTerms & {
  readonly partialImages: number
  /** `input_fidelity`: how closely the model looks at the input images. */
  readonly fidelity: string
  /** Number of input images, including a mask. */
  readonly inputImages: number
  /** Sizes of the input images without the mask; null if a size cannot be read. */
  readonly sizes: () => readonly (ImageSize | null)[]
  readonly stream: boolean
}

export const readImageGeneration: TaskReader = (endpoint, body) => {
  const isEdit = endpoint === 'imageEdits'
  return readJsonTask(
    { endpoint, body },
    {
      defaultModel: DEFAULT_MODEL,
      metered: isEdit ? [...METERED, 'images', 'mask'] : METERED,
      streams: true,
      check: (json) =>
        checkJson(json) ??
        (isEdit ? checkImages(json['images']) : null) ??
        checkRequest(textOf(json['model']), readJsonRequest(json)),
      terms: ({ json }, model) => termsOf(model, readJsonRequest(json)),
    },
  )
}

export const readImageEdit: TaskReader = (endpoint, body, contentType) =>
  /^\s*application\/json\b/i.test(contentType)
    ? readImageGeneration(endpoint, body, contentType)
    : readImageForm(endpoint, body, contentType)

const readImageForm: TaskReader = (endpoint, body, contentType) =>
  readFormTask(
    { endpoint, body, contentType },
    {
      defaultModel: DEFAULT_MODEL,
      metered: METERED,
      fileBytesMax: FILE_BYTES_MAX,
      streams: endpoint === 'imageEdits',
      check: endpoint === 'imageEdits' ? checkEditForm : checkVariationForm,
      terms: (parts, model) => termsOf(model, readFormRequest(parts)),
    },
  )

export const readImageVariation = readImageForm

function readJsonRequest(json: JsonRecord): ImageRequest {
  const { n, size, quality, prompt, images, partial_images, input_fidelity } = json
  return {
    n: typeof n === 'number' ? n : 1,
    size: textOf(size),
    quality: textOf(quality),
    prompt: textOf(prompt),
    partialImages: typeof partial_images === 'number' ? partial_images : 0,
    fidelity: textOf(input_fidelity),
    inputImages: listOf(images).length + (isRecord(json['mask']) ? 1 : 0),
    sizes: () => listOf(images).map((image) => imageSize(imageAddress(member(image, 'image_url')))),
    stream: json['stream'] === true,
  }
}

function readFormRequest(parts: readonly FormPart[]): ImageRequest {
  return {
    n: integerField(parts, 'n') ?? 1,
    size: fieldOf(parts, 'size') ?? '',
    quality: fieldOf(parts, 'quality') ?? '',
    prompt: fieldOf(parts, 'prompt') ?? '',
    partialImages: integerField(parts, 'partial_images') ?? 0,
    fidelity: fieldOf(parts, 'input_fidelity') ?? '',
    inputImages: parts.filter(({ file }) => file !== null).length,
    sizes: () => parts.filter(isImageFile).map(({ bytes }) => imageSizeIn(bytes)),
    stream: asksStream(parts),
  }
}

const isImageField = ({ name }: FormPart) => /^image(?:\[\d*\])?$/.test(name)
const isImageFile = (part: FormPart) => isImageField(part) && part.file !== null

/** Null for a missing or empty field; NaN if the value is not a whole number. */
function integerField(parts: readonly FormPart[], name: string): number | null {
  const text = fieldOf(parts, name) ?? ''
  if (text === '') return null
  return /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
}

const unsupportedCount = (isGiven: (name: string) => boolean): RequestProblem | null => {
  const other = UNSUPPORTED_COUNTS.find(isGiven)
  return other === undefined ? null : unsupported(other, "Set 'n' to the number of images")
}

function checkJson(json: JsonRecord): RequestProblem | null {
  const other = unsupportedCount((name) => (json[name] ?? null) !== null)
  if (other !== null) return other
  const wrong = ['prompt', 'size', 'quality'].find((name) => typeof (json[name] ?? '') !== 'string')
  if (wrong !== undefined) return wrongType(wrong, 'a string')
  const n = json['n'] ?? 1
  if (typeof n !== 'number') return { ...wrongType('n', 'an integer'), code: 'n_not_within_range' }
  if (textOf(json['prompt']) === '') return promptMissing()
  return checkInteger(json['partial_images'], 'partial_images', 0, PARTIAL_IMAGES_MAX)
}

const promptMissing = () => ({ ...missing('prompt', 'Say what to draw'), code: 'prompt_missing' })

function checkRequest(model: string, request: ImageRequest): RequestProblem | null {
  if (request.stream && !streamsImages(model)) {
    return unsupported('stream', 'Only GPT Image answers in a stream')
  }
  return checkImageTerms(model, request)
}

const IMAGES_MAX = 16

function checkImages(images: unknown): RequestProblem | null {
  const isList = Array.isArray(images) && images.length > 0 && images.length <= IMAGES_MAX
  if (isList && images.every(isRecord)) return null
  return wrongType(
    'images',
    `an array of 1 to ${IMAGES_MAX} objects with an image_url or a file_id`,
  )
}

function checkEditForm(parts: readonly FormPart[]): RequestProblem | null {
  const images = parts.filter(isImageField)
  if (images.length === 0) return missing('image', 'Send the image as a file of the form')
  if (!images.every(({ file, bytes }) => file !== null && bytes.length > 0)) {
    return wrongType('image', 'a file that is not empty')
  }
  return (fieldOf(parts, 'prompt') ?? '') === '' ? promptMissing() : checkFormTerms(parts)
}

function checkVariationForm(parts: readonly FormPart[]): RequestProblem | null {
  const image = fileIn(parts, 'image')
  return 'message' in image ? image : checkFormTerms(parts)
}

function checkFormTerms(parts: readonly FormPart[]): RequestProblem | null {
  const request = readFormRequest(parts)
  return (
    unsupportedCount((name) => fieldOf(parts, name) !== undefined) ??
    checkInteger(request.partialImages, 'partial_images', 0, PARTIAL_IMAGES_MAX) ??
    checkRequest(fieldOf(parts, 'model') || DEFAULT_MODEL, request)
  )
}

function termsOf(model: string, request: ImageRequest): TaskTerms {
  return {
    ...boundsOf(model, request),
    boundsFor: (upstream) => boundsOf(pricedAs(model, upstream), request),
    ...(request.stream ? { observe: observeImages(request) } : {}),
    readAnswer,
    chargesTokens: (context) => makesImageTokens(pricedAs(model, context.model)),
    measure: (answer, context) =>
      measure(answer, request, { ...context, model: pricedAs(model, context.model) }),
  }
}

/** Prices by the requested model name. An unknown name is priced as the provider's model. */
const pricedAs = (model: string, upstream: string) =>
  makesImageTokens(model) || isPricedPerImage(model) ? model : upstream

function boundsOf(
  model: string,
  request: ImageRequest,
): Pick<RelayRequest, 'promptTokensUpperBound' | 'outputLimit'> {
  const { n: count, prompt, inputImages, partialImages, stream } = request
  if (!makesImageTokens(model)) {
    const factor = imageFactor(model, request)
    return {
      promptTokensUpperBound: tokensForUnits({ unit: 'image', count }, factor),
      outputLimit: 0,
    }
  }
  const textTokens = Buffer.byteLength(prompt) + HIDDEN_TOKENS_MAX
  const tokensPerImage = maxImageOutputTokens(model, request) + partialImages * PARTIAL_IMAGE_TOKENS
  // In a stream, each image reports all tokens it was made from, input included.
  const promptReads = stream || readsPromptPerImage(model) ? count : 1
  return {
    promptTokensUpperBound: promptReads * (textTokens + inputImages * INPUT_IMAGE_TOKENS_MAX),
    outputLimit: count * tokensPerImage,
  }
}

async function measure(
  answer: Buffer | null,
  request: ImageRequest,
  context: MeasureContext,
): Promise<Usage> {
  const { model } = context
  const delivered = answer === null ? allDelivered(request) : deliveredIn(answer, request)
  if (!makesImageTokens(model)) {
    const units = { unit: 'image', count: delivered.images } as const
    return usageForUnits(units, imageFactor(model, request))
  }
  const reported = reportedUsage(delivered, model, request)
  if (reported !== null) return reported
  const startedImages = delivered.images + (delivered.unfinishedPartials > 0 ? 1 : 0)
  const promptReads = readsPromptPerImage(model) ? Math.max(1, startedImages) : 1
  const imageTokenCount = promptReads * inputImageTokens(model, request)
  return {
    ...NO_USAGE,
    promptTokens: promptReads * (await countText(model, request.prompt, context)) + imageTokenCount,
    completionTokens: tokensOf(delivered, {
      each: imageOutputTokens(model, request),
      request,
    }),
    ...(imageTokenCount === 0
      ? {}
      : { kinds: [{ kind: 'image_prompt', tokens: imageTokenCount }] }),
  }
}

/**
 * Usage the finished images reported, plus a share for unfinished ones at the same rate; more
 * accurate than the table. Null if no image is unfinished, because the reported usage was validated
 * before, or if the report exceeds the bounds.
 */
function reportedUsage(
  { reportedUsage: reported, images, unfinishedPartials }: DeliveredImages,
  model: string,
  request: ImageRequest,
): Usage | null {
  if (reported === null || unfinishedPartials === 0) return null
  const { promptTokensUpperBound, outputLimit } = boundsOf(model, { ...request, n: images })
  const { promptTokens, completionTokens } = reported
  if (promptTokens > promptTokensUpperBound || completionTokens > (outputLimit ?? 0)) return null
  const unfinishedTokens = partialShare(unfinishedPartials, {
    each: completionTokens / images,
    request,
  })
  return { ...reported, completionTokens: completionTokens + unfinishedTokens }
}

const allDelivered = ({ n, partialImages, stream }: ImageRequest): DeliveredImages => ({
  images: n,
  partials: stream ? n * partialImages : 0,
  unfinishedPartials: 0,
  reportedUsage: null,
})

function deliveredIn(answer: Buffer, request: ImageRequest): DeliveredImages {
  const events = eventsIn(answer)
  if (events !== null) return deliveredImages(events, request)
  const images = Math.min(request.n, imagesIn(answer).length)
  return { images, partials: 0, unfinishedPartials: 0, reportedUsage: null }
}

function tokensOf(
  { images, partials, unfinishedPartials }: DeliveredImages,
  { each, request }: { each: number; request: ImageRequest },
): number {
  const unfinishedTokens = partialShare(unfinishedPartials, { each, request })
  return images * each + partials * PARTIAL_IMAGE_TOKENS + unfinishedTokens
}

/** An unfinished image counts by the part shown: a quarter after one of three partial images. */
const partialShare = (
  partials: number,
  { each, request }: { each: number; request: ImageRequest },
): number => Math.ceil((each * partials) / (request.partialImages + 1))

/** Capped at what was held per image. */
const inputImageTokens = (model: string, { sizes, fidelity }: ImageRequest): number =>
  sizes()
    .map((size) => Math.min(imageTokens(model, size, fidelity), INPUT_IMAGE_TOKENS_MAX))
    .reduce((sum, tokens) => sum + tokens, 0)

const imagesIn = (answer: Buffer): unknown[] =>
  listOf(member(jsonIn(answer), 'data')).filter(
    (item) => textOf(member(item, 'url')) !== '' || textOf(member(item, 'b64_json')) !== '',
  )

const readAnswer = (body: Buffer) => summaryIn(jsonIn(body), imagesIn(body).length > 0)
