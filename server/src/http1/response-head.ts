import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import { type FieldRules, readFields } from './fields.ts'
import { type BodyLength, bodyLength, isBodiless, isPersistent } from './framing.ts'
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

/** Parses a response head without its empty line; null if malformed. */
export function readResponseHead(text: string): ResponseHead | null {
  const lineEnd = text.indexOf(LINE_END)
  const [, minor, digits] = STATUS_LINE.exec(text.slice(0, lineEnd)) ?? []
  if (digits === undefined) return null
  const status = Number(digits)
  const minorVersion = Number(minor)
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
  lines: string
  /** Content length; null for a chunked body. */
  length: number | null
}

/** In Latin-1, including the empty line. */
export function encodeResponseHead({ status, headers, lines, length }: ResponseToSend): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  for (const name in headers) {
    if (name === 'connection' || name === 'content-length') continue
    text += `${name}: ${headers[name]}\r\n`
  }
  text += lines
  if (isBodiless(status)) return `${text}\r\n`
  return length === null
    ? `${text}Transfer-Encoding: chunked\r\n\r\n`
    : `${text}Content-Length: ${length}\r\n\r\n`
}
