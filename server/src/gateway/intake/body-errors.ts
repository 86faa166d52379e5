import { Refusal } from '../errors.ts'

const MS = 1000

export const tooLarge = (bytesMax: number, { isFunded }: { isFunded: boolean }) =>
  new Refusal({
    status: 413,
    code: 'request_too_large',
    message: isFunded
      ? `The request body is larger than ${bytesMax} bytes.`
      : `The request body is larger than ${bytesMax} bytes, the limit while the balance is 0.`,
    type: 'invalid_request_error',
  })

export const ratioExceeded = (compressedBytes: number, bytesMax: number, ratioMax: number) =>
  new Refusal({
    status: 413,
    code: 'request_too_large',
    message:
      `The request body of ${compressedBytes} bytes decompresses to more than ${bytesMax} bytes; at most ` +
      `${ratioMax} times its size is allowed. Send it without Content-Encoding.`,
    type: 'invalid_request_error',
  })

export const badEncoding = (encoding: string) =>
  new Refusal({
    status: 400,
    code: 'invalid_encoding',
    message: `The request body is not valid ${encoding}.`,
    type: 'invalid_request_error',
  })

export const unsupportedEncoding = (encoding: string, supported: Iterable<string>) =>
  new Refusal({
    status: 415,
    code: 'unsupported_encoding',
    message: `The content encoding ${encoding} is not supported; send ${[...supported].join(', ')} or none.`,
  })

export const fragmented = (chunkBytesMin: number) =>
  new Refusal({
    status: 400,
    code: 'request_fragmented',
    message:
      `The request body arrives in pieces of fewer than ${chunkBytesMin} bytes on average. ` +
      'Send it in larger pieces.',
    type: 'invalid_request_error',
  })

const bodyTimeout = (message: string) =>
  new Refusal({
    status: 408,
    code: 'request_timeout',
    message,
    type: 'invalid_request_error',
    retryAfterSeconds: 1,
    leavesBody: true,
  })

export const bodyIncomplete = () => bodyTimeout('The request ended before its body was complete.')

export const bodyTimedOut = () => bodyTimeout('The request body took too long to arrive.')

export const tooSlow = (bytes: number, bytesMin: number, intervalMs: number) =>
  bodyTimeout(
    `The request body arrives too slowly: ${bytes} bytes came in the last ` +
      `${Math.round(intervalMs) / MS} seconds, and at least ${Math.ceil(bytesMin)} are required.`,
  )
