import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import { addField, type FieldRules, readFields } from './fields.ts'
import { type BodyLength, bodyLength, isBodiless, isPersistent } from './framing.ts'
import type { HeadWriter } from './head-writer.ts'
import { LINE_END, STATUS_LINE } from './syntax.ts'

export type ResponseHead = {
  status: number
  /** Lower-case names. */
  headers: IncomingHttpHeaders
  length: BodyLength
  /** The connection may carry another request. */
  isKeepAlive: boolean
}

const RULES: FieldRules = { countMax: Infinity, repeats: 'joined' }
const SWITCHING_PROTOCOLS = 101
/** Places in a status line, as in `HTTP/1.1 200 OK`. */
const MINOR_VERSION_AT = 7
const STATUS_AT = 9
const STATUS_DIGITS = 3

/** Parses a response head without its empty line; null if malformed. */
export function readResponseHead(text: string): ResponseHead | null {
  const lineEnd = text.indexOf(LINE_END)
  if (!STATUS_LINE.test(text.slice(0, lineEnd))) return null
  const status = Number(text.slice(STATUS_AT, STATUS_AT + STATUS_DIGITS))
  const minorVersion = Number(text[MINOR_VERSION_AT])
  const isInterimOfHttp10 = status < 200 && minorVersion === 0
  if (status === SWITCHING_PROTOCOLS || isInterimOfHttp10) return null
  const headers = readFields(text.slice(lineEnd + LINE_END.length), RULES)
  const length = headers && lengthOf(status, headers)
  if (headers === null || length === null) return null
  const isKeepAlive = length !== 'until_close' && isPersistent(headers, minorVersion)
  return { status, headers, length, isKeepAlive }
}

function lengthOf(status: number, headers: IncomingHttpHeaders): BodyLength | null {
  if (!isBodiless(status)) return bodyLength(headers, 'until_close')
  return typeof bodyLength(headers, 0) === 'number' ? 0 : null
}

type ResponseToSend = {
  status: number
  /** Lower-case, validated names. Connection and framing headers are ignored. */
  headers: Readonly<Record<string, string>>
  /** Further header lines, serialized, among them those of the connection. */
  lines: readonly string[]
  /** Content length; null for a chunked body. */
  length: number | null
}

/** Writes a head, including its empty line. */
export function writeResponseHead(head: HeadWriter, response: ResponseToSend) {
  const { status, headers, lines, length } = response
  head.begin()
  head.add('HTTP/1.1 ')
  head.add(String(status))
  head.add(' ')
  head.add(STATUS_CODES[status] ?? 'unknown')
  head.add(LINE_END)
  for (const name in headers) {
    if (name === 'connection' || name === 'content-length') continue
    addField(head, name, headers[name] ?? '')
  }
  for (const part of lines) head.add(part)
  if (!isBodiless(status)) {
    if (length === null) addField(head, 'Transfer-Encoding', 'chunked')
    else addField(head, 'Content-Length', String(length))
  }
  head.add(LINE_END)
}
