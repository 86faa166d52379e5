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
