import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { ByteCollector } from '@tollgate/relay'
import type { RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { ClientRequest } from '../http-types.ts'
import { badEncoding, bodyIncomplete, ratioExceeded } from './body-errors.ts'
import type { Uploader } from './uploads.ts'

const CHUNK_BYTES = 64 * 1024

/** Larger windows would cost more memory than a body (RFC 9659). */
const ZSTD_WINDOW_LOG_MAX = 23

/** Encodings with windows of megabytes. */
const WIDE_ENCODINGS: ReadonlySet<string> = new Set(['br', 'zstd'])

type Decoder = Transform & Pick<zlib.Zlib, 'bytesWritten'>
type CreateDecoder = (compressed: Buffer) => Decoder

/** Node.js has zstd since 22.15. */
type Zlib = Omit<typeof zlib, 'createZstdDecompress'> & {
  readonly createZstdDecompress?: typeof zlib.createZstdDecompress | undefined
}

export function decodersOf(library: Zlib): ReadonlyMap<string, CreateDecoder> {
  const { constants, createZstdDecompress } = library
  const chunkSize = CHUNK_BYTES
  const decoders = new Map<string, CreateDecoder>([
    ['gzip', () => library.createGunzip({ chunkSize })],
    ['deflate', (compressed) => createInflateFor(compressed, { chunkSize })],
    ['br', () => library.createBrotliDecompress({ chunkSize })],
  ])
  if (createZstdDecompress !== undefined) {
    const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX }
    decoders.set('zstd', () => createZstdDecompress({ chunkSize, params }))
  }
  return decoders
}

const ZLIB_METHOD = 8
const ZLIB_CHECK = 31

/** `deflate` means the zlib format (RFC 9110, 8.4.1.2). Some clients send it without its header. */
function createInflateFor(compressed: Buffer, options: zlib.ZlibOptions): Decoder {
  const [first = 0, second = 0] = compressed
  const isZlib = first % 16 === ZLIB_METHOD && (first * 256 + second) % ZLIB_CHECK === 0
  return isZlib ? zlib.createInflate(options) : zlib.createInflateRaw(options)
}

export const DECODERS = decodersOf(zlib)

export type CompressedBody = {
  readonly request: ClientRequest
  readonly encoding: string
  readonly createDecoder: CreateDecoder
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
  const { decompressedBytesFree } = limits
  const isWide = WIDE_ENCODINGS.has(encoding)
  const ratioMax = isWide ? limits.wideDecompressionRatioMax : limits.decompressionRatioMax
  const ratioBytesMax = Math.max(decompressedBytesFree, compressed.length * ratioMax)
  const body = new ByteCollector()
  const upload = uploads.open(uploader)
  upload.add(compressed.length)
  try {
    await uploads.decompressionSlots.acquire(uploader.user)
    try {
      if (request.destroyed) throw bodyIncomplete()
      const decoder = createDecoder(compressed)
      const chunks: AsyncIterable<Buffer> = decoder
      decoder.end(compressed)
      for await (const chunk of chunks) {
        body.add(chunk)
        upload.add(chunk.length)
        if (upload.refusal !== null) throw upload.refusal
        if (body.size > bytesMax) throw tooLarge()
        if (body.size > ratioBytesMax)
          throw ratioExceeded(compressed.length, ratioBytesMax, ratioMax)
      }
      // Decoders ignore what follows the end of the compressed data.
      if (decoder.bytesWritten < compressed.length) throw badEncoding(encoding)
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
