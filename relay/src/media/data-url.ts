import { isRecord, textOf } from '../bytes/json-value.ts'
import { imageType } from './image-size.ts'

/** Content of a `data:` URL; `data` is base64. */
export type InlineData = { readonly mediaType: string; readonly data: string }

const HEAD_LENGTH_MAX = 256

/** Null for any other URL, and for a data URL that is not base64. */
export function readDataUrl(url: string): InlineData | null {
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i.exec(
    url.slice(0, HEAD_LENGTH_MAX),
  )
  const mediaType = head?.[1]?.toLowerCase()
  if (head === null || mediaType === undefined) return null
  const data = url.slice(head[0].length)
  return { mediaType: mediaType.startsWith('image/') ? typeOf(data, mediaType) : mediaType, data }
}

/** Base64 of the bytes that tell the type. */
const SIGNATURE_LENGTH = 16

/** Clients declare wrong types, which providers refuse. */
function typeOf(data: string, declared: string): string {
  const found = imageType(Buffer.from(data.slice(0, SIGNATURE_LENGTH), 'base64'))
  return found ?? (declared === 'image/jpg' ? 'image/jpeg' : declared)
}

/** The URL with the type that the bytes of its image tell; any other URL as it is. */
export function trueDataUrl(url: string): string {
  const inline = url.startsWith('data:image/') ? readDataUrl(url) : null
  if (inline === null || url.startsWith(`data:${inline.mediaType};base64,`)) return url
  return `data:${inline.mediaType};base64,${inline.data}`
}

/** The address of an image, which may be in an object of its own, or the image alone. */
export function imageAddress(image: unknown): string {
  const url = textOf(isRecord(image) ? image['url'] : image)
  return IS_IMAGE.test(url) ? `data:${typeOf(url, 'image/png')};base64,${url}` : url
}

/** PNG, JPEG, GIF and WebP in base64. JSON may escape the slashes. */
export const IS_IMAGE = /^(?:iVBORw0KGgo|\\?\/9j\\?\/|R0lGOD[dl]|UklGR)/

export const isAddress = (url: string): boolean => /^https?:\/\//i.test(url)

/** Files stored at Google are known only to Google. */
export const isAtGoogle = (uri: string): boolean =>
  !isAddress(uri) || uri.startsWith('https://generativelanguage.googleapis.com/')

export const PDF = 'application/pdf'

/** How names of files end. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['txt', 'text/plain'],
  ['md', 'text/plain'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['json', 'application/json'],
  ['mp4', 'video/mp4'],
  ['mpeg', 'video/mpeg'],
  ['mpg', 'video/mpeg'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
])

const VIDEO_PAGE = /^https?:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//i

/**
 * The type of the file at an address, as its name tells, else `unknown`. Null for a video on a
 * page.
 */
export function typeAt(address: string, unknown = PDF): string | null {
  if (VIDEO_PAGE.test(address)) return null
  const [path = ''] = address.split(/[?#]/, 1)
  const ending = /\.(\w+)$/.exec(path)?.[1] ?? ''
  return TYPES.get(ending.toLowerCase()) ?? unknown
}

/** The data of a file as a data URL. Clients leave out the head of a PDF. */
export function fileUrl(data: string): string {
  return data.startsWith(PDF_BEGINNING) ? `data:${PDF};base64,${data}` : data
}

/** `%PDF-` in base64. */
const PDF_BEGINNING = 'JVBERi0'
