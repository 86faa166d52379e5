// What both sides of HTTP/1.1 are made of (RFC 9110, RFC 9112), as strictly as it can be read.
/** A token (RFC 9110, 5.6.2), as names of headers are. */
const TOKEN = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]+"
/** What values of headers consist of, in Latin-1: no control bytes but the tab. */
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*'
const QUOTED = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"'

export const HEADER_NAME = new RegExp(`^${TOKEN}$`)
export const HEADER_VALUE = new RegExp(`^${TEXT}$`)
/** Any number of header lines, each with its end. */
export const HEADER_LINES = new RegExp(`^(?:${TOKEN}:${TEXT}\\r\\n)*$`)
export const STATUS_LINE = new RegExp(`^HTTP/1\\.([01]) ([1-9]\\d\\d)(?: ${TEXT})?$`)
export const CHUNK_EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`)
/** With its return. The length of a body does not come behind the body. */
export const TRAILER_LINE = new RegExp(
  `^(?!content-length:|transfer-encoding:)${TOKEN}:${TEXT}\\r$`,
  'i',
)
/** Of a body, in bytes; longer ones are no safe integers. */
export const CONTENT_LENGTH = /^\d{1,15}$/

const NO_CONTENT = 204
const NOT_MODIFIED = 304

/** Whether an answer with this status has no body, whatever its headers say. */
export const isBodiless = (status: number): boolean =>
  status < 200 || status === NO_CONTENT || status === NOT_MODIFIED

const TAB = 0x09
const SPACE = 0x20

/** What stands between two places, without the blanks around it; `trim` takes other characters for some too. */
export function trimBlanks(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const isBlank = (code: number) => code === SPACE || code === TAB
