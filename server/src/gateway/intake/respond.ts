import type { Refusal } from '../errors.ts'
import type { ClientResponse } from '../http-types.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Client } from './client.ts'

/** How long a client may take for the last bytes, and for the next of them. */
export type SendLimits = Pick<GatewayLimits, 'sendMs' | 'clientStallMs' | 'takenAtOnceMs'>

/** Writes the last bytes and resolves when they are taken; a client that does not take them is cut off. */
export function finishResponse(
  response: ClientResponse,
  bytes: Buffer | string,
  { sendMs, clientStallMs, takenAtOnceMs }: SendLimits,
): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const { socket } = response
    const cutOff = () => response.destroy()
    let isWatched = false
    let timer = setTimeout(() => {
      isWatched = true
      timer = setTimeout(cutOff, sendMs)
      socket?.setTimeout(clientStallMs, cutOff)
    }, takenAtOnceMs)
    const unwatch = () => {
      socket?.off('timeout', cutOff)
      // By then it may have another one, of a connection between two requests.
      if (socket?.timeout === clientStallMs) socket.setTimeout(0)
    }
    response.once('close', () => {
      clearTimeout(timer)
      if (isWatched) unwatch()
      resolve()
    })
    response.end(bytes)
  })
}

/** Answers with an error, unless an answer has begun. */
export async function respondWithRefusal(
  { response, dialect }: Client,
  refusal: Refusal,
  { requestId, closes }: { requestId: string; closes: boolean },
  limits: SendLimits,
): Promise<void> {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, body: text } = dialect.error(refusal.told(requestId))
  const body = Buffer.from(text)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...(refusal.retryAfterSeconds === null
      ? {}
      : { 'retry-after': String(Math.max(1, refusal.retryAfterSeconds)) }),
    // Or all that its sender announced would have to be read first.
    ...(closes ? { connection: 'close' } : {}),
  })
  await finishResponse(response, body, limits)
}

export function respondWithJson(
  response: ClientResponse,
  body: object,
  limits: SendLimits,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  })
  return finishResponse(response, bytes, limits)
}
