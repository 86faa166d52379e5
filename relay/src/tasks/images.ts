import { countText } from '../count-tokens.ts'
import { reportedError } from '../dialects/openai/answer.ts'
import {
  checkInteger,
  type FieldProblem,
  missing,
  unsupported,
  wrongType,
} from '../dialects/openai/request-fields.ts'
import { type ImageSize, imageSize, imageSizeIn } from '../image-size.ts'
import { imageTokens } from '../image-tokens.ts'
import { jsonIn } from '../json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../json-value.ts'
import type { Answer } from '../relay-answer.ts'
import type { RelayRequest, Measuring } from '../relay-request.ts'
import { NO_USAGE, parseUsage, type Usage } from '../usage.ts'
import { asksStream, fileIn, readFormTask } from './form-task.ts'
import { fieldOf, type FormPart } from './form.ts'
import { type Made, madeIn, watchImages } from './image-events.ts'
import {
  imageOutputTokens,
  makesImageTokens,
  outputTokensMost,
  readsForEach,
  streamsImages,
} from './image-output.ts'
import { checkImageTerms, imageFactor, type ImageTerms, sellsPieces } from './image-pieces.ts'
import { readJsonTask, type TaskTerms } from './json-task.ts'
import { eventsIn } from './task-observer.ts'
import type { TaskReader } from './task.ts'
import { tokensOfPieces, usageOfPieces } from './units.ts'

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
const INPUT_IMAGE_TOKENS_MOST = 8192
/** OpenAI adds hidden tokens to each prompt; about 30 were measured. */
const HIDDEN_TOKENS_MOST = 256

/** Names other providers use for `n`. Some providers honor them in OpenAI's format too. */
const OTHER_COUNTS = ['batch_size', 'num_images', 'num_outputs', 'sample_count', 'image_count']
const METERED = [
  'prompt',
  'n',
  'size',
  'quality',
  'partial_images',
  'input_fidelity',
  ...OTHER_COUNTS,
]

type Asked = ImageTerms & {
  readonly partialImages: number
  /** `input_fidelity`: how closely the model looks at the input images. */
  readonly fidelity: string
  /** Number of input images, including a mask. */
  readonly pictures: number
  /** Sizes of the input images without the mask; null if a size cannot be read. */
  readonly sizes: () => readonly (ImageSize | null)[]
  readonly stream: boolean
}

export const readImageGeneration: TaskReader = (endpoint, body) =>
  readJsonTask(
    { endpoint, body },
    {
      defaultModel: DEFAULT_MODEL,
      metered: METERED,
      streams: true,
      check: (json) => checkJson(json) ?? checkAsked(textOf(json['model']), askedInJson(json)),
      terms: ({ json }, model) => termsOf(model, askedInJson(json)),
    },
  )

export const readImageEdit: TaskReader = (endpoint, body, contentType) => {
  if (!/^\s*application\/json\b/i.test(contentType)) {
    return readImageForm(endpoint, body, contentType)
  }
  return readJsonTask(
    { endpoint, body },
    {
      defaultModel: DEFAULT_MODEL,
      metered: [...METERED, 'images', 'mask'],
      streams: true,
      check: (json) =>
        checkJson(json) ??
        checkImages(json['images']) ??
        checkAsked(textOf(json['model']), askedInJson(json)),
      terms: ({ json }, model) => termsOf(model, askedInJson(json)),
    },
  )
}

export const readImageVariation: TaskReader = (endpoint, body, contentType) =>
  readImageForm(endpoint, body, contentType)

const readImageForm: TaskReader = (endpoint, body, contentType) =>
  readFormTask(
    { endpoint, body, contentType },
    {
      defaultModel: DEFAULT_MODEL,
      metered: METERED,
      fileBytesMax: FILE_BYTES_MAX,
      streams: endpoint === 'imageEdits',
      check: endpoint === 'imageEdits' ? checkEditForm : checkVariationForm,
      terms: (parts, model) => termsOf(model, askedInForm(parts)),
    },
  )

function askedInJson(json: JsonRecord): Asked {
  const { n, size, quality, prompt, images, partial_images, input_fidelity } = json
  return {
    n: typeof n === 'number' ? n : 1,
    size: textOf(size),
    quality: textOf(quality),
    prompt: textOf(prompt),
    partialImages: typeof partial_images === 'number' ? partial_images : 0,
    fidelity: textOf(input_fidelity),
    pictures: listOf(images).length + (isRecord(json['mask']) ? 1 : 0),
    sizes: () => listOf(images).map((image) => imageSize(addressOf(image))),
    stream: json['stream'] === true,
  }
}

function askedInForm(parts: readonly FormPart[]): Asked {
  return {
    n: wholeIn(parts, 'n') ?? 1,
    size: fieldOf(parts, 'size') ?? '',
    quality: fieldOf(parts, 'quality') ?? '',
    prompt: fieldOf(parts, 'prompt') ?? '',
    partialImages: wholeIn(parts, 'partial_images') ?? 0,
    fidelity: fieldOf(parts, 'input_fidelity') ?? '',
    pictures: parts.filter(({ file }) => file !== null).length,
    sizes: () => parts.filter(isPictureFile).map(({ bytes }) => imageSizeIn(bytes)),
    stream: asksStream(parts),
  }
}

const isPicture = ({ name }: FormPart) => /^image(?:\[\d*\])?$/.test(name)
const isPictureFile = (part: FormPart) => isPicture(part) && part.file !== null

function addressOf(image: unknown): string {
  const given = member(image, 'image_url')
  return textOf(isRecord(given) ? given['url'] : given)
}

/** Null for a missing or empty field; NaN if the value is not a whole number. */
function wholeIn(parts: readonly FormPart[], name: string): number | null {
  const text = fieldOf(parts, name) ?? ''
  if (text === '') return null
  return /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
}

const otherCount = (isGiven: (name: string) => boolean): FieldProblem | null => {
  const other = OTHER_COUNTS.find(isGiven)
  return other === undefined ? null : unsupported(other, "Set 'n' to the number of images")
}

function checkJson(json: JsonRecord): FieldProblem | null {
  const other = otherCount((name) => (json[name] ?? null) !== null)
  if (other !== null) return other
  const wrong = ['prompt', 'size', 'quality'].find((name) => typeof (json[name] ?? '') !== 'string')
  if (wrong !== undefined) return wrongType(wrong, 'a string')
  const n = json['n'] ?? 1
  if (typeof n !== 'number') return { ...wrongType('n', 'an integer'), code: 'n_not_within_range' }
  if (textOf(json['prompt']) === '') return promptMissing()
  return checkInteger(json['partial_images'], 'partial_images', 0, PARTIAL_IMAGES_MAX)
}

const promptMissing = () => ({ ...missing('prompt', 'Say what to draw'), code: 'prompt_missing' })

function checkAsked(model: string, asked: Asked): FieldProblem | null {
  if (asked.stream && !streamsImages(model)) {
    return unsupported('stream', 'Only GPT Image answers in a stream')
  }
  return checkImageTerms(model, asked)
}

const IMAGES_MAX = 16

function checkImages(images: unknown): FieldProblem | null {
  const isList = Array.isArray(images) && images.length > 0 && images.length <= IMAGES_MAX
  if (isList && images.every(isRecord)) return null
  return wrongType(
    'images',
    `an array of 1 to ${IMAGES_MAX} objects with an image_url or a file_id`,
  )
}

function checkEditForm(parts: readonly FormPart[]): FieldProblem | null {
  const images = parts.filter(isPicture)
  if (images.length === 0) return missing('image', 'Send the image as a file of the form')
  if (!images.every(({ file, bytes }) => file !== null && bytes.length > 0)) {
    return wrongType('image', 'a file that is not empty')
  }
  return (fieldOf(parts, 'prompt') ?? '') === '' ? promptMissing() : checkFormTerms(parts)
}

function checkVariationForm(parts: readonly FormPart[]): FieldProblem | null {
  const image = fileIn(parts, 'image')
  return 'message' in image ? image : checkFormTerms(parts)
}

function checkFormTerms(parts: readonly FormPart[]): FieldProblem | null {
  const asked = askedInForm(parts)
  return (
    otherCount((name) => fieldOf(parts, name) !== undefined) ??
    checkInteger(asked.partialImages, 'partial_images', 0, PARTIAL_IMAGES_MAX) ??
    checkAsked(fieldOf(parts, 'model') || DEFAULT_MODEL, asked)
  )
}

function termsOf(model: string, asked: Asked): TaskTerms {
  return {
    ...boundsOf(model, asked),
    boundsAt: (upstream) => boundsOf(pricedAs(model, upstream), asked),
    ...(asked.stream ? { watch: watchImages(asked) } : {}),
    readAnswer,
    paysTokens: (how) => makesImageTokens(pricedAs(model, how.model)),
    measure: (answer, how) => measure(answer, asked, { ...how, model: pricedAs(model, how.model) }),
  }
}

/** Prices by the requested model name. An unknown name is priced as the provider's model. */
const pricedAs = (model: string, upstream: string) =>
  makesImageTokens(model) || sellsPieces(model) ? model : upstream

function boundsOf(
  model: string,
  asked: Asked,
): Pick<RelayRequest, 'promptTokensUpperBound' | 'outputLimit'> {
  const { n: count, prompt, pictures, partialImages, stream } = asked
  if (!makesImageTokens(model)) {
    const factor = imageFactor(model, asked)
    return {
      promptTokensUpperBound: tokensOfPieces({ unit: 'image', count }, factor),
      outputLimit: 0,
    }
  }
  const textTokens = Buffer.byteLength(prompt) + HIDDEN_TOKENS_MOST
  const each = outputTokensMost(model, asked) + partialImages * PARTIAL_IMAGE_TOKENS
  // In a stream, each image reports all tokens it was made from, input included.
  const readings = stream || readsForEach(model) ? count : 1
  return {
    promptTokensUpperBound: readings * (textTokens + pictures * INPUT_IMAGE_TOKENS_MOST),
    outputLimit: count * each,
  }
}

async function measure(answer: Buffer | null, asked: Asked, how: Measuring): Promise<Usage> {
  const { model } = how
  const made = answer === null ? allOf(asked) : madeOf(answer, asked)
  if (!makesImageTokens(model)) {
    const pieces = { unit: 'image', count: made.images } as const
    return usageOfPieces(pieces, imageFactor(model, asked))
  }
  const told = toldOf(made, model, asked)
  if (told !== null) return told
  const begun = made.images + (made.partialsOfOpen > 0 ? 1 : 0)
  const readings = readsForEach(model) ? Math.max(1, begun) : 1
  const seen = readings * tokensOfPictures(model, asked)
  return {
    ...NO_USAGE,
    promptTokens: readings * (await countText(model, asked.prompt, how)) + seen,
    completionTokens: tokensOf(made, { each: imageOutputTokens(model, asked), asked }),
    ...(seen === 0 ? {} : { kinds: [{ kind: 'image_prompt', tokens: seen }] }),
  }
}

/**
 * Usage the finished images reported, plus a share for unfinished ones at the same rate; more
 * accurate than the table. Null if no image is unfinished, because the reported usage was validated
 * before, or if the report exceeds the bounds.
 */
function toldOf({ told, images, partialsOfOpen }: Made, model: string, asked: Asked): Usage | null {
  if (told === null || partialsOfOpen === 0) return null
  const { promptTokensUpperBound, outputLimit } = boundsOf(model, { ...asked, n: images })
  const { promptTokens, completionTokens } = told
  if (promptTokens > promptTokensUpperBound || completionTokens > (outputLimit ?? 0)) return null
  const ofOpen = sharesOf(partialsOfOpen, { each: completionTokens / images, asked })
  return { ...told, completionTokens: completionTokens + ofOpen }
}

const allOf = ({ n, partialImages, stream }: Asked): Made => ({
  images: n,
  partials: stream ? n * partialImages : 0,
  partialsOfOpen: 0,
  told: null,
})

function madeOf(answer: Buffer, asked: Asked): Made {
  const events = eventsIn(answer)
  if (events !== null) return madeIn(events, asked)
  const images = Math.min(asked.n, imagesIn(answer).length)
  return { images, partials: 0, partialsOfOpen: 0, told: null }
}

function tokensOf(
  { images, partials, partialsOfOpen }: Made,
  { each, asked }: { each: number; asked: Asked },
): number {
  const ofOpen = sharesOf(partialsOfOpen, { each, asked })
  return images * each + partials * PARTIAL_IMAGE_TOKENS + ofOpen
}

/** An unfinished image counts by the part shown: a quarter after one of three partial images. */
const sharesOf = (partials: number, { each, asked }: { each: number; asked: Asked }): number =>
  Math.ceil((each * partials) / (asked.partialImages + 1))

/** Capped at what was held per image. */
const tokensOfPictures = (model: string, { sizes, fidelity }: Asked): number =>
  sizes()
    .map((size) => Math.min(imageTokens(model, size, fidelity), INPUT_IMAGE_TOKENS_MOST))
    .reduce((sum, tokens) => sum + tokens, 0)

const imagesIn = (answer: Buffer): unknown[] =>
  listOf(member(jsonIn(answer), 'data')).filter(
    (item) => textOf(member(item, 'url')) !== '' || textOf(member(item, 'b64_json')) !== '',
  )

function readAnswer(body: Buffer): Answer {
  const json = jsonIn(body)
  return {
    complete: isRecord(json) && reportedError(json) === null && imagesIn(body).length > 0,
    form: 'json',
    model: textOf(member(json, 'model')) || null,
    usage: parseUsage(member(json, 'usage')),
    outputText: () => '',
  }
}
