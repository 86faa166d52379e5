import type { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ByteCollector } from '@tollgate/relay'
import type { RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { ClientRequest } from '../http-types.ts'
import { badEncoding, bodyIncomplete, ratioExceeded } from './body-errors.ts'
import type { Uploader } from './uploads.ts'

const CHUNK_BYTES = 64 * 1024

export const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip({ chunkSize: CHUNK_BYTES })],
])

export type CompressedBody = {
  readonly request: ClientRequest
  readonly encoding: string
  readonly createDecoder: () => Transform
  readonly uploader: Uploader
  readonly bytesMax: number
  readonly tooLarge: () => Refusal
}

/** Waits for a turn first, because the zlib thread pool is small and shared. */
export async function decompressBody(
  { limits, uploads }: Pick<RelayDeps, 'limits' | 'uploads'>,
  compressed: Buffer,
  { request, encoding, createDecoder, uploader, bytesMax, tooLarge }: CompressedBody,
): Promise<Buffer> {
  const { decompressionRatioMax, decompressedBytesFree } = limits
  const ratioBytesMax = Math.max(decompressedBytesFree, compressed.length * decompressionRatioMax)
  const body = new ByteCollector()
  const upload = uploads.open(uploader)
  upload.add(compressed.length)
  try {
    await uploads.decompressionSlots.acquire(uploader.user)
    try {
      if (request.destroyed) throw bodyIncomplete()
      const decoder = createDecoder()
      const chunks: AsyncIterable<Buffer> = decoder
      decoder.end(compressed)
      for await (const chunk of chunks) {
        body.add(chunk)
        upload.add(chunk.length)
        if (upload.refusal !== null) throw upload.refusal
        if (body.size > bytesMax) throw tooLarge()
        if (body.size > ratioBytesMax)
          throw ratioExceeded(compressed.length, ratioBytesMax, decompressionRatioMax)
      }
      return body.bytes()
    } finally {
      uploads.decompressionSlots.release()
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw badEncoding(encoding)
  } finally {
    upload.close()
  }
}
