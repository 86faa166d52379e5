import { type JsonRecord, isRecord, member } from '@tollgate/relay'
import { FetchRefused, type GuardedFetch } from './guarded-fetch.ts'

const IMAGES_MAX = 32
const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/

/** A part of a message whose image could not be had. */
export class ImageAway extends Error {
  override readonly name = 'ImageAway'
  /** As `messages.0.content.1.image_url`. */
  readonly param: string

  constructor(message: string, param: string) {
    super(message)
    this.param = param
  }
}

type Found = { url: string; param: string }

/** Whether a chat request names images by their address. */
export const hasRemoteImages = (request: JsonRecord) => remoteImages(request).length > 0

/** The request with every image as data; throws `ImageAway`. */
export async function inlineImages(
  request: JsonRecord,
  fetchGuarded: GuardedFetch,
): Promise<JsonRecord> {
  const found = remoteImages(request)
  if (found.length > IMAGES_MAX) {
    const param = found[IMAGES_MAX]?.param ?? ''
    throw new ImageAway(`At most ${IMAGES_MAX} images may be named by their address.`, param)
  }
  const images = new Map<string, Promise<string>>()
  for (const image of found) {
    if (!images.has(image.url)) images.set(image.url, dataUrlOf(image, fetchGuarded))
  }
  const names = [...images.keys()]
  const data = await Promise.all(images.values())
  const dataOf = new Map(names.map((url, index) => [url, data[index] ?? url]))
  return { ...request, messages: messagesOf(request).map((message) => replaced(message, dataOf)) }
}

async function dataUrlOf({ url, param }: Found, fetchGuarded: GuardedFetch): Promise<string> {
  try {
    const { bytes, type } = await fetchGuarded(url)
    if (!IMAGE_TYPE.test(type))
      throw new FetchRefused(`it is no image but ${type || 'nothing named'}`)
    return `data:${type};base64,${bytes.toString('base64')}`
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    throw new ImageAway(`The image at ${param} cannot be fetched: ${error.message}.`, param)
  }
}

function remoteImages(request: JsonRecord): Found[] {
  return messagesOf(request).flatMap((message, at) =>
    partsOf(message).flatMap((part, index) => {
      const url = urlOf(part)
      const param = `messages.${at}.content.${index}.image_url`
      return url !== null && /^https?:/i.test(url) ? [{ url, param }] : []
    }),
  )
}

function replaced(message: unknown, dataOf: ReadonlyMap<string, string>): unknown {
  if (!isRecord(message) || !Array.isArray(message['content'])) return message
  const content = partsOf(message).map((part) => {
    const data = dataOf.get(urlOf(part) ?? '')
    if (data === undefined || !isRecord(part)) return part
    const image = part['image_url']
    return { ...part, image_url: isRecord(image) ? { ...image, url: data } : { url: data } }
  })
  return { ...message, content }
}

/** The address is usually inside an object; some clients give it as a plain string. */
function urlOf(part: unknown): string | null {
  const isImage = member(part, 'type') === 'image_url'
  const image = member(part, 'image_url')
  const url = typeof image === 'string' ? image : member(image, 'url')
  return isImage && typeof url === 'string' ? url.trim() : null
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const messagesOf = (request: JsonRecord) => listOf(request['messages'])
const partsOf = (message: unknown) => listOf(member(message, 'content'))
