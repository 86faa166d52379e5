import type { IncomingHttpHeaders } from 'node:http'
import { CONTENT_LENGTH, HEADER_LINES, trimBlanks } from '../../domain/http-syntax.ts'

const HEAD_BYTES_MAX = 16 * 1024
const HEADERS_MAX = 100
const LINE_END = '\r\n'
const HEAD_END = Buffer.from('\r\n\r\n')
const REQUEST_LINE = /^(GET|POST) (\/[\x21-\x7e]*) HTTP\/1\.1$/

/** Headers that change framing or may repeat. Node.js parses requests with these. */
const NOT_TAKEN = [
  'transfer-encoding',
  'expect',
  'upgrade',
  'proxy-connection',
  'set-cookie',
] as const

export type RequestHead = {
  method: string
  /** Path and query. */
  url: string
  /** Lower-case names; each occurred once. */
  headers: IncomingHttpHeaders
  /** Bytes of the head, including the empty line. */
  size: number
  bodyBytes: number
  /** The connection may carry another request. */
  isKept: boolean
}

/**
 * Parses the head at the start of `bytes`. Returns null if the head is incomplete, unusual or
 * ambiguous.
 */
export function readRequestHead(
  bytes: Buffer,
  takes: (url: string) => boolean,
): RequestHead | null {
  const end = bytes.indexOf(HEAD_END)
  const size = end + HEAD_END.length
  if (end === -1 || size > HEAD_BYTES_MAX) return null
  const text = bytes.toString('latin1', 0, end + LINE_END.length)
  const lineEnd = text.indexOf(LINE_END)
  const [, method, url] = REQUEST_LINE.exec(text.slice(0, lineEnd)) ?? []
  if (method === undefined || url === undefined || !takes(url)) return null
  const headers = readHeaders(text.slice(lineEnd + LINE_END.length))
  if (headers === null || !isPlain(headers)) return null
  const bodyBytes = bodyBytesOf(method, headers)
  if (bodyBytes === null) return null
  const isKept = isKeptBy(headers)
  return isKept === null ? null : { method, url, headers, size, bodyBytes, isKept }
}

function readHeaders(lines: string): IncomingHttpHeaders | null {
  if (!HEADER_LINES.test(lines)) return null
  const headers: IncomingHttpHeaders = {}
  let count = 0
  for (let at = 0; at < lines.length; count += 1) {
    const colon = lines.indexOf(':', at)
    const end = lines.indexOf(LINE_END, colon)
    const name = lines.slice(at, colon).toLowerCase()
    // Also rejects names that every object inherits.
    if (headers[name] !== undefined) return null
    headers[name] = trimBlanks(lines, colon + 1, end)
    at = end + LINE_END.length
  }
  return count > HEADERS_MAX ? null : headers
}

const isPlain = (headers: IncomingHttpHeaders) =>
  headers.host !== undefined && NOT_TAKEN.every((name) => headers[name] === undefined)

function bodyBytesOf(method: string, headers: IncomingHttpHeaders): number | null {
  const length = headers['content-length']
  if (length === undefined) return method === 'GET' ? 0 : null
  return CONTENT_LENGTH.test(length) ? Number(length) : null
}

function isKeptBy({ connection }: IncomingHttpHeaders): boolean | null {
  if (connection === undefined) return true
  const word = connection.toLowerCase()
  if (word !== 'keep-alive' && word !== 'close') return null
  return word === 'keep-alive'
}
