// Grammar of HTTP/1.1 messages (RFC 9110, RFC 9112), in the strictest reading.
/** A token (RFC 9110, 5.6.2), as in header names. */
const TOKEN = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]+"
/** Characters of header values, in Latin-1: no control bytes except tab. */
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*'
const QUOTED = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"'

export const HEADER_NAME = new RegExp(`^${TOKEN}$`)
export const HEADER_VALUE = new RegExp(`^${TEXT}$`)
export const HEADER_LINES = new RegExp(`^(?:${TOKEN}:${TEXT}\\r\\n)*$`)
/** Path and query. */
export const TARGET = /^\/[\x21-\x7e]*$/
export const REQUEST_LINE = /^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.1$/
export const STATUS_LINE = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: ${TEXT})?$`)
export const CHUNK_EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`)
/**
 * Includes the CR. Excludes the headers that state a body's length, which cannot follow the body.
 */
export const TRAILER_LINE = new RegExp(
  `^(?!content-length:|transfer-encoding:)${TOKEN}:${TEXT}\\r$`,
  'i',
)
/** Body length in bytes; longer numbers are not safe integers. */
export const CONTENT_LENGTH = /^\d{1,15}$/
export const LINE_END = '\r\n'

/** The end of the last header line, and the empty line. */
export const HEAD_END = Buffer.from('\r\n\r\n')

const TAB = 0x09
const SPACE = 0x20

/**
 * The text between two positions without surrounding spaces and tabs. `String.trim` would remove
 * other characters too.
 */
export function trimBlanks(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const isBlank = (code: number) => code === SPACE || code === TAB
