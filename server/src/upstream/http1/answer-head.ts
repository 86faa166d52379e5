import type { IncomingHttpHeaders } from 'node:http'
import {
  CONTENT_LENGTH,
  HEADER_LINES,
  isBodiless,
  STATUS_LINE,
  trimBlanks,
} from '../../domain/http-syntax.ts'

export type AnswerHead = {
  status: number
  /** Lower-case names. Repeated values are joined by a comma, cookies kept as a list. */
  headers: IncomingHttpHeaders
  /** Bytes of the body, or how its end is found. */
  length: number | 'chunked' | 'until_close'
  /** The connection may carry another request. */
  isKept: boolean
}

/** Parses a response head without the final empty line; null if malformed. */
export function readHead(text: string): AnswerHead | null {
  const firstEnd = text.indexOf('\r\n')
  const first = firstEnd === -1 ? text : text.slice(0, firstEnd)
  const [, minor, digits] = STATUS_LINE.exec(first) ?? []
  if (digits === undefined) return null
  const status = Number(digits)
  const headers = firstEnd === -1 ? {} : readHeaders(text.slice(firstEnd + 2))
  const isInterimOfOld = status < 200 && minor === '0'
  if (headers === null || status === SWITCHING_PROTOCOLS || isInterimOfOld) return null
  const length = lengthOf(status, headers)
  if (length === null) return null
  const connection = headers.connection?.toLowerCase() ?? ''
  const isKept =
    length !== 'until_close' &&
    (minor === '1' ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection))
  return { status, headers, length, isKept }
}

const SWITCHING_PROTOCOLS = 101

function readHeaders(text: string): IncomingHttpHeaders | null {
  if (!HEADER_LINES.test(`${text}\r\n`)) return null
  const headers: IncomingHttpHeaders = {}
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = trimBlanks(line, colon + 1, line.length)
    const known = headers[name]
    if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value]
    else headers[name] = known === undefined ? value : `${String(known)}, ${value}`
  }
  return headers
}

/** Follows RFC 9112, 6.3. Null for ambiguous or invalid framing. */
function lengthOf(status: number, headers: IncomingHttpHeaders): AnswerHead['length'] | null {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  const hasNoBody = isBodiless(status)
  if (coding !== undefined) {
    const isChunked = length === undefined && coding.toLowerCase() === 'chunked'
    return isChunked && !hasNoBody ? 'chunked' : null
  }
  if (length === undefined) return hasNoBody ? 0 : 'until_close'
  if (!CONTENT_LENGTH.test(length)) return null
  return hasNoBody ? 0 : Number(length)
}
