import { createGunzip } from 'node:zlib'
import { ByteCollector } from '@tollgate/relay'
import type { GatewayLimits } from './limits.ts'
import { Refusal } from './refusal.ts'
import type { ClientRequest } from './wire.ts'

/** Bytes of bodies that have not come whole yet or are being unpacked, of all requests. */
let arriving = 0

/** The whole body of a request, unpacked; throws a refusal when it is too large, too slow or broken. */
export async function readBody(request: ClientRequest, limits: GatewayLimits): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip') {
    await discard(request, limits.lingerMs)
    throw new Refusal({
      status: 415,
      code: 'unsupported_encoding',
      message: `The content encoding ${encoding} is not supported; send gzip or none.`,
      leavesBody: true,
    })
  }
  const announced = Number(request.headers['content-length'] ?? 0)
  const received = announced > limits.bodyBytesMax ? 'too large' : receive(request, limits)
  const body = received instanceof Promise ? await received : received
  if (typeof body === 'string') {
    await discard(request, limits.lingerMs)
    throw tooMuch(body, limits, { leavesBody: true })
  }
  return encoding === 'gzip' ? unpack(body, limits) : body
}

/** In words once there are more bytes than allowed, of it or of all that arrive; none are kept then. */
function receive(request: ClientRequest, limits: GatewayLimits): Promise<Buffer | Excess> | Buffer {
  const whole = request.takeBody?.() ?? null
  if (whole !== null) return whole
  return new Promise((resolve, reject) => {
    const body = new ByteCollector()
    const leave = () => {
      clearTimeout(timer)
      arriving -= body.size
      request.off('data', take).off('end', end).off('close', close)
    }
    const take = (chunk: Buffer) => {
      body.add(chunk)
      arriving += chunk.length
      const excess = excessOf(body, limits)
      if (excess === null) return
      leave()
      resolve(excess)
      body.clear()
    }
    const end = () => {
      leave()
      resolve(body.bytes())
    }
    const close = () => {
      leave()
      reject(bodyTimeout('The request was broken off before its body was complete.'))
    }
    const timer = setTimeout(() => {
      leave()
      reject(bodyTimeout('The body of the request took too long to arrive.'))
    }, limits.bodyMs)
    if (request.destroyed) return close()
    request.on('data', take).on('end', end).on('close', close).resume()
  })
}

const bodyTimeout = (message: string) =>
  new Refusal({
    status: 408,
    code: 'request_timeout',
    message,
    type: 'invalid_request_error',
    leavesBody: true,
  })

const tooManyArriving = (leavesBody: boolean) =>
  new Refusal({
    status: 503,
    code: 'server_busy',
    message: 'Too many large requests are arriving at once. Try again in a moment.',
    retryAfterSeconds: 2,
    leavesBody,
  })

/** A sender that is cut off while it writes may never see the answer, so it is heard out for a moment. */
function discard(request: ClientRequest, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      request.off('end', stop).off('close', stop)
      resolve()
    }
    const timer = setTimeout(stop, lingerMs)
    if (request.destroyed || request.readableEnded) return stop()
    request.on('end', stop).on('close', stop).resume()
  })
}

async function unpack(packed: Buffer, limits: GatewayLimits): Promise<Buffer> {
  const body = new ByteCollector()
  const gunzip = createGunzip({ chunkSize: UNPACKED_PIECE_BYTES })
  const pieces: AsyncIterable<Buffer> = gunzip
  gunzip.end(packed)
  try {
    for await (const piece of pieces) {
      body.add(piece)
      arriving += piece.length
      const excess = excessOf(body, limits)
      if (excess !== null) throw tooMuch(excess, limits, { leavesBody: false })
    }
    return body.bytes()
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal({
      status: 400,
      code: 'invalid_encoding',
      message: 'The request body is not valid gzip.',
      type: 'invalid_request_error',
    })
  } finally {
    arriving -= body.size
  }
}

const UNPACKED_PIECE_BYTES = 64 * 1024

type Excess = 'too large' | 'busy'

/** Whether it, or all bodies together, have more bytes than they may. */
function excessOf(
  { size }: ByteCollector,
  { bodyBytesMax, arrivingBytesMax }: GatewayLimits,
): Excess | null {
  if (size > bodyBytesMax) return 'too large'
  return arriving > arrivingBytesMax ? 'busy' : null
}

const tooMuch = (
  excess: Excess,
  { bodyBytesMax }: GatewayLimits,
  { leavesBody }: { leavesBody: boolean },
) => (excess === 'busy' ? tooManyArriving(leavesBody) : tooLarge(bodyBytesMax, leavesBody))

const tooLarge = (bytesMax: number, leavesBody: boolean) =>
  new Refusal({
    status: 413,
    code: 'request_too_large',
    message: `The request body is larger than ${bytesMax} bytes.`,
    type: 'invalid_request_error',
    leavesBody,
  })
