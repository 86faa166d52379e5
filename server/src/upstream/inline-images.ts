import { type JsonRecord, isRecord, member } from '@tollgate/relay'
import { FetchRefused, type GuardedFetch } from './guarded-fetch.ts'

const IMAGES_MAX = 32
/** All images are in memory at once, as data URLs in the request. */
const BYTES_MAX = 32 * 1024 * 1024
const CONCURRENT_FETCHES = 4
const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/

export class ImageFetchError extends Error {
  override readonly name = 'ImageAway'
  /** Like `messages.0.content.1.image_url`. */
  readonly param: string

  constructor(message: string, param: string) {
    super(message)
    this.param = param
  }
}

type ImageReference = { url: string; param: string }

export const hasRemoteImages = (request: JsonRecord) => remoteImages(request).length > 0

/** Replaces every image URL with a data URL. Throws `ImageFetchError`. */
export async function inlineImages<Request extends JsonRecord>(
  request: Request,
  fetchGuarded: GuardedFetch,
): Promise<Request> {
  const references = remoteImages(request)
  if (references.length > IMAGES_MAX) {
    const param = references[IMAGES_MAX]?.param ?? ''
    throw new ImageFetchError(`At most ${IMAGES_MAX} images may be given by URL.`, param)
  }
  const dataOf = await fetchAll(references, fetchGuarded)
  return { ...request, messages: messagesOf(request).map((message) => replaced(message, dataOf)) }
}

/** Fetches each URL once; returns data URLs by URL. */
async function fetchAll(references: readonly ImageReference[], fetchGuarded: GuardedFetch) {
  const images = references.filter(
    ({ url }, index) => references.findIndex((other) => other.url === url) === index,
  )
  const dataOf = new Map<string, string>()
  let length = 0
  for (let at = 0; at < images.length; at += CONCURRENT_FETCHES) {
    const batch = images.slice(at, at + CONCURRENT_FETCHES)
    const data = await Promise.all(batch.map((image) => dataUrlOf(image, fetchGuarded)))
    for (const [index, { url, param }] of batch.entries()) {
      const text = data[index] ?? ''
      dataOf.set(url, text)
      length += text.length
      if (length > BYTES_MAX) {
        const message = `The images given by URL have more than ${BYTES_MAX} bytes in total.`
        throw new ImageFetchError(message, param)
      }
    }
  }
  return dataOf
}

async function dataUrlOf(
  { url, param }: ImageReference,
  fetchGuarded: GuardedFetch,
): Promise<string> {
  try {
    const { bytes, type } = await fetchGuarded(url)
    if (!IMAGE_TYPE.test(type))
      throw new FetchRefused(`it is not an image but ${type || 'of unknown type'}`)
    return `data:${type};base64,${bytes.toString('base64')}`
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    throw new ImageFetchError(`The image at ${param} cannot be fetched: ${error.message}.`, param)
  }
}

function remoteImages(request: JsonRecord): ImageReference[] {
  return messagesOf(request).flatMap((message, at) =>
    partsOf(message).flatMap((part, index) => {
      const url = urlOf(part)
      if (url === null || !/^https?:/i.test(url)) return []
      return [{ url, param: `messages.${at}.content.${index}.image_url` }]
    }),
  )
}

function replaced(message: unknown, dataOf: ReadonlyMap<string, string>): unknown {
  const name = listIn(message)
  if (!isRecord(message) || !Array.isArray(message[name])) return message
  const parts = partsOf(message).map((part) => {
    const data = dataOf.get(urlOf(part) ?? '')
    if (data === undefined || !isRecord(part)) return part
    if (part['type'] === FORM_IMAGE) return { ...part, url: data }
    const image = part['image_url']
    return { ...part, image_url: isRecord(image) ? { ...image, url: data } : { url: data } }
  })
  return { ...message, [name]: parts }
}

/** The URL is usually inside an object; some clients send a plain string. */
function urlOf(part: unknown): string | null {
  const type = member(part, 'type')
  const image = type === FORM_IMAGE ? part : member(part, 'image_url')
  const url = typeof image === 'string' ? image : member(image, 'url')
  const isImage = type === FORM_IMAGE || type === 'image_url'
  return isImage && typeof url === 'string' ? url.trim() : null
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const messagesOf = (request: JsonRecord) => listOf(request['messages'])
const partsOf = (message: unknown) => listOf(member(message, listIn(message)))

/** A chat has the form of chat completions, or is a typed form. */
const listIn = (message: unknown) =>
  isRecord(message) && 'blocks' in message ? 'blocks' : 'content'
const FORM_IMAGE = 'image'
