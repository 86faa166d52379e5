import { STATUS_CODES } from 'node:http'
import { isBodiless } from '../../domain/http-syntax.ts'

export type AnswerHead = {
  status: number
  /** Lower-case, validated names. Connection and framing headers are added separately. */
  headers: Readonly<Record<string, string>>
  /** Serialized headers that `headers` does not contain. */
  constants: string
  /** Content length; null for a chunked body. */
  length: number | null
  /** Serialized connection headers. */
  connection: string
}

const SECOND_MS = 1000

/** In Latin-1, including the empty line. */
export function encodeHead({ status, headers, constants, length, connection }: AnswerHead): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  for (const name in headers) {
    if (name === 'connection' || name === 'content-length') continue
    text += `${name}: ${headers[name]}\r\n`
  }
  text += constants + dateLine(Date.now()) + connection
  if (isBodiless(status)) return `${text}\r\n`
  return length === null
    ? `${text}Transfer-Encoding: chunked\r\n\r\n`
    : `${text}Content-Length: ${length}\r\n\r\n`
}

let dateSecond = -1
let date = ''

/** Cached for one second. */
function dateLine(nowMs: number): string {
  const second = Math.floor(nowMs / SECOND_MS)
  if (second === dateSecond) return date
  dateSecond = second
  date = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  return date
}
