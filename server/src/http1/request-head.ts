import type { IncomingHttpHeaders } from 'node:http'
import { addField, checkField, type FieldRules, readFields } from './fields.ts'
import { bodyLength, isPersistent } from './framing.ts'
import type { HeadWriter } from './head-writer.ts'
import { HEAD_END, LINE_END, REQUEST_LINE, TARGET } from './syntax.ts'

export type RequestHead = {
  method: string
  /** Path and query. */
  url: string
  /** Lower-case names. */
  headers: IncomingHttpHeaders
  /** Bytes of the head, including the empty line. */
  size: number
  /** Bytes of the body. */
  length: number
  /** The connection may carry another request. */
  isKeepAlive: boolean
}

export type RequestRules = FieldRules & {
  /** Bytes of a head, including the empty line. */
  bytesMax: number
}

/**
 * Parses the head at the start of `bytes`. Returns null if the head is incomplete, malformed,
 * ambiguous, against the rules or for a URL that is not accepted, and for a chunked body.
 */
export function readRequestHead(
  bytes: Buffer,
  rules: RequestRules,
  accepts: (url: string) => boolean,
): RequestHead | null {
  const end = bytes.indexOf(HEAD_END)
  const size = end + HEAD_END.length
  if (end === -1 || size > rules.bytesMax) return null
  const text = bytes.toString('latin1', 0, end + LINE_END.length)
  const lineEnd = text.indexOf(LINE_END)
  const line = text.slice(0, lineEnd)
  if (!REQUEST_LINE.test(line)) return null
  const methodEnd = line.indexOf(' ')
  const method = line.slice(0, methodEnd)
  const url = line.slice(methodEnd + 1, line.lastIndexOf(' '))
  if (!accepts(url)) return null
  const headers = readFields(text.slice(lineEnd + LINE_END.length), rules)
  if (headers === null) return null
  const length = bodyLength(headers, 0)
  if (typeof length !== 'number') return null
  return { method, url, headers, size, length, isKeepAlive: isPersistent(headers, 1) }
}

type RequestToSend = {
  method: 'GET' | 'POST'
  /** Path and query. */
  target: string
  host: string
  headers: Readonly<Record<string, string>>
  /** Content length; null without a body. */
  length: number | null
}

/**
 * Writes a head, including its empty line. Throws a `TypeError` on characters that could alter the
 * request.
 */
export function writeRequestHead(head: HeadWriter, request: RequestToSend) {
  const { method, target, host, headers, length } = request
  if (!TARGET.test(target)) throw new TypeError('the address has characters that cannot be sent')
  head.begin()
  head.add(method)
  head.add(' ')
  head.add(target)
  head.add(' HTTP/1.1\r\nhost: ')
  head.add(host)
  head.add('\r\nconnection: keep-alive\r\n')
  for (const name in headers) {
    const value = headers[name] ?? ''
    checkField(name, value)
    addField(head, name, value)
  }
  if (length !== null) addField(head, 'content-length', String(length))
  head.add(LINE_END)
}
