import { ByteCollector } from '@tollgate/relay'
import type { Timer } from '../../clock.ts'
import type { RelayDeps } from '../context.ts'
import type { Refusal } from '../errors.ts'
import type { ClientRequest } from '../http-types.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Caller } from './authenticate.ts'
import {
  bodyIncomplete,
  fragmented,
  tooLarge,
  bodyTimedOut,
  tooSlow,
  unsupportedEncoding,
} from './body-errors.ts'
import { DECODERS, decompressBody } from './decompress-body.ts'
import { isFunded } from './identify.ts'
import type { Uploader } from './uploads.ts'

type ReadDeps = Pick<RelayDeps, 'limits' | 'uploads' | 'addressOf' | 'clock'>

const MS = 1000
const IDENTITY = 'identity'

/**
 * Reads and decompresses the request body. Synchronous if the body is already complete. Rejects
 * with a refusal.
 */
export function readBody(
  deps: ReadDeps,
  request: ClientRequest,
  caller: Caller,
): Promise<Buffer> | Buffer {
  const { headers } = request
  const isPlain = headers['content-encoding'] === undefined
  const isWithin = Number(headers['content-length']) <= bytesMaxOf(deps.limits, caller)
  const complete = isPlain && isWithin ? (request.takeBody?.() ?? null) : null
  return complete ?? receiveAndDecode(deps, request, caller)
}

const bytesMaxOf = (
  { bodyBytesMax, unfundedBodyBytesMax }: GatewayLimits,
  caller: Caller,
): number => (isFunded(caller) ? bodyBytesMax : unfundedBodyBytesMax)

async function receiveAndDecode(
  deps: ReadDeps,
  request: ClientRequest,
  caller: Caller,
): Promise<Buffer> {
  const { headers } = request
  const encoding = headers['content-encoding']?.trim().toLowerCase() || IDENTITY
  const createDecoder = DECODERS.get(encoding)
  if (createDecoder === undefined && encoding !== IDENTITY) {
    throw unsupportedEncoding(encoding, DECODERS.keys())
  }
  const bytesMax = bytesMaxOf(deps.limits, caller)
  const bounds = {
    uploader: { user: caller.user.id, address: deps.addressOf(request) },
    bytesMax,
    tooLarge: () => tooLarge(bytesMax, { isFunded: isFunded(caller) }),
  }
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw bounds.tooLarge()
  const body = request.takeBody?.() ?? (await receive(deps, request, bounds))
  if (createDecoder === undefined) return body
  return decompressBody(deps, body, { ...bounds, request, encoding, createDecoder })
}

type Bounds = {
  readonly uploader: Uploader
  readonly bytesMax: number
  readonly tooLarge: () => Refusal
}

function receive(deps: ReadDeps, request: ClientRequest, bounds: Bounds): Promise<Buffer> {
  const { smallChunksMax, chunkBytesMin } = deps.limits
  return new Promise((resolve, reject) => {
    const body = new ByteCollector()
    let chunkCount = 0
    const stop = () => {
      stopWatch()
      upload.close()
      request.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    const refuse = (refusal: Refusal) => {
      stop()
      reject(refusal)
    }
    const onData = (chunk: Buffer) => {
      body.add(chunk)
      chunkCount += 1
      if (body.size > bounds.bytesMax) return refuse(bounds.tooLarge())
      // Every chunk has a fixed processing cost, so many small chunks are refused.
      if (chunkCount > smallChunksMax && body.size < chunkCount * chunkBytesMin) {
        return refuse(fragmented(chunkBytesMin))
      }
      upload.add(chunk.length)
    }
    const onEnd = () => {
      stop()
      resolve(body.bytes())
    }
    const onClose = () => refuse(bodyIncomplete())
    const upload = deps.uploads.open(bounds.uploader, refuse)
    const announced = Number(request.headers['content-length'] ?? Infinity)
    const stopWatch = watchPace(deps, { body, announced }, refuse)
    if (request.destroyed) return onClose()
    request.on('data', onData).on('end', onEnd).on('close', onClose).resume()
  })
}

/** Refuses a body that arrives too slowly, because it occupies memory. Returns a stop function. */
function watchPace(
  { limits, clock }: Pick<ReadDeps, 'limits' | 'clock'>,
  { body, announced }: { body: Pick<ByteCollector, 'size'>; announced: number },
  refuse: (refusal: Refusal) => void,
): () => void {
  const { bodyMs, arrivalCheckMs, arrivingBytesPerSecondMin, unpacedBytesMax } = limits
  const startedAt = clock.monotonic()
  let isOver = false
  let bytesBefore = 0
  let timer: Timer
  const check = (intervalMs: number) => {
    if (isOver) return
    const leftMs = bodyMs - (clock.monotonic() - startedAt)
    if (leftMs <= 0) return refuse(bodyTimedOut())
    const bytes = body.size - bytesBefore
    const bytesMin = (arrivingBytesPerSecondMin * intervalMs) / MS
    if (announced > unpacedBytesMax && bytes < bytesMin)
      return refuse(tooSlow(bytes, bytesMin, intervalMs))
    bytesBefore = body.size
    wait(leftMs)
  }
  const wait = (leftMs: number) => {
    const intervalMs = Math.min(arrivalCheckMs, leftMs)
    // `soon` first takes in the bytes that arrived while the event loop was blocked.
    timer = clock.after(intervalMs, () => clock.soon(() => check(intervalMs)))
  }
  wait(bodyMs)
  return () => {
    isOver = true
    timer.close()
  }
}
