import type { IncomingHttpHeaders } from 'node:http'
import { CONTENT_LENGTH } from './syntax.ts'

/** Bytes of a body, or how its end is found. */
export type BodyLength = number | 'chunked' | 'until_close'

/**
 * Follows RFC 9112, 6.3; `absent` applies without a length header. Null if the headers are
 * ambiguous or invalid.
 */
export function bodyLength<Absent extends BodyLength>(
  headers: IncomingHttpHeaders,
  absent: Absent,
): number | 'chunked' | Absent | null {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding !== undefined) {
    return length === undefined && coding.toLowerCase() === 'chunked' ? 'chunked' : null
  }
  if (length === undefined) return absent
  return CONTENT_LENGTH.test(length) ? Number(length) : null
}

/** Whether the connection may carry another message. */
export function isPersistent({ connection }: IncomingHttpHeaders, minorVersion: number): boolean {
  if (connection === undefined) return minorVersion > 0
  return minorVersion > 0 ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection)
}

const NO_CONTENT = 204
const NOT_MODIFIED = 304

/** Whether a response with this status has no body, whatever its headers say. */
export const isBodiless = (status: number): boolean =>
  status < 200 || status === NO_CONTENT || status === NOT_MODIFIED
