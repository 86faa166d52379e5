import type { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ByteCollector } from '@tollgate/relay'
import type { RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { ClientRequest } from '../http-types.ts'
import { badEncoding, brokenOff, tooDense } from './body-errors.ts'
import type { Uploader } from './uploads.ts'

const PIECE_BYTES = 64 * 1024

export const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip({ chunkSize: PIECE_BYTES })],
])

export type Packed = {
  readonly request: ClientRequest
  readonly encoding: string
  readonly createDecoder: () => Transform
  readonly uploader: Uploader
  readonly bytesMax: number
  readonly tooLarge: () => Refusal
}

/** Waits for a turn first, because the zlib thread pool is small and shared. */
export async function unpackBody(
  { limits, uploads }: Pick<RelayDeps, 'limits' | 'uploads'>,
  packed: Buffer,
  { request, encoding, createDecoder, uploader, bytesMax, tooLarge }: Packed,
): Promise<Buffer> {
  const { unpackRatioMax, unpackedBytesFree } = limits
  const denseBytesMax = Math.max(unpackedBytesFree, packed.length * unpackRatioMax)
  const body = new ByteCollector()
  const upload = uploads.open(uploader)
  upload.add(packed.length)
  try {
    await uploads.turns.take(uploader.user)
    try {
      if (request.destroyed) throw brokenOff()
      const decoder = createDecoder()
      const pieces: AsyncIterable<Buffer> = decoder
      decoder.end(packed)
      for await (const piece of pieces) {
        body.add(piece)
        upload.add(piece.length)
        if (upload.refusal !== null) throw upload.refusal
        if (body.size > bytesMax) throw tooLarge()
        if (body.size > denseBytesMax) throw tooDense(packed.length, denseBytesMax, unpackRatioMax)
      }
      return body.bytes()
    } finally {
      uploads.turns.release()
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw badEncoding(encoding)
  } finally {
    upload.close()
  }
}
