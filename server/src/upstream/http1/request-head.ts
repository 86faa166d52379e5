import { HEADER_NAME, HEADER_VALUE } from '../../domain/http-syntax.ts'

const TARGET = /^\/[\x21-\x7e]*$/

export type RequestHead = {
  method: 'GET' | 'POST'
  /** Path and query. */
  target: string
  host: string
  headers: Readonly<Record<string, string>>
  /** Content length; null without a body. */
  length: number | null
}

/** In Latin-1. Throws a `TypeError` on characters that could alter the request. */
export function encodeHead({ method, target, host, headers, length }: RequestHead): string {
  if (!TARGET.test(target)) throw new TypeError('the address has characters that cannot be sent')
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new TypeError('a header has characters that cannot be sent')
    }
    text += `${name}: ${value}\r\n`
  }
  return length === null ? `${text}\r\n` : `${text}content-length: ${length}\r\n\r\n`
}
