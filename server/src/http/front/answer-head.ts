import { STATUS_CODES } from 'node:http'
import { isBodiless } from '../../domain/http-syntax.ts'

export type AnswerHead = {
  status: number
  /** Names in small letters, checked; those of the connection and the framing are said by others. */
  headers: Readonly<Record<string, string>>
  /** Lines of headers that `headers` does not name, each with its end. */
  constants: string
  /** Of the body, when it is known; null for one that comes in chunks. */
  length: number | null
  /** What the connection says of itself, each line with its end. */
  connection: string
}

const SECOND_MS = 1000

/** In Latin-1, with the empty line. */
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

/** Made once a second for all answers. */
function dateLine(nowMs: number): string {
  const second = Math.floor(nowMs / SECOND_MS)
  if (second === dateSecond) return date
  dateSecond = second
  date = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  return date
}
