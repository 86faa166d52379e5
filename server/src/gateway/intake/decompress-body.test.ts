import { randomBytes } from 'node:crypto'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ClientRequest } from '../http-types.ts'
import { GATEWAY_LIMITS } from '../limits.ts'
import { tooLarge } from './body-errors.ts'
import { DECODERS, decodersOf, decompressBody } from './decompress-body.ts'
import { Uploads } from './uploads.ts'

const { constants, gzipSync, zstdCompressSync } = zlib
const limits = { ...GATEWAY_LIMITS, decompressionsMax: 1 }

function openPool(bytesMax = 1000) {
  const uploads = new Uploads(limits)
  const request = { destroyed: false, readableEnded: true, headers: {}, socket: {} }
  const unpack = (packed: Buffer, user = 1, encoding = 'gzip') =>
    decompressBody({ limits, uploads }, packed, {
      request: request as unknown as ClientRequest, // safe because only `destroyed` is read
      encoding,
      createDecoder: DECODERS.get(encoding) ?? expect.fail(),
      uploader: { user, address: '192.0.2.1' },
      bytesMax,
      tooLarge: () => tooLarge(bytesMax, { isFunded: true }),
    })
  return { uploads, request, unpack }
}

const TEXT = 'hello'.repeat(100)

test('waits for its turn, and counts meanwhile', async () => {
  const { uploads, unpack } = openPool()
  await uploads.decompressionSlots.acquire(1)
  const packed = gzipSync(TEXT)
  let isDone = false
  const unpacking = unpack(packed).finally(() => (isDone = true))
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect([isDone, uploads.bytes]).toEqual([false, packed.length])
  uploads.decompressionSlots.release()
  expect(String(await unpacking)).toBe(TEXT)
  expect(uploads.bytes).toBe(0)
})

const PACKERS: [encoding: string, pack: (bytes: Buffer) => Buffer][] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => zlib.deflateSync(bytes)],
  ['br', (bytes) => zlib.brotliCompressSync(bytes)],
  ['zstd', (bytes) => zstdCompressSync(bytes)],
]

describe.each(PACKERS)('%s', (encoding, pack) => {
  const whole = pack(Buffer.from(TEXT))

  test('is decompressed', async () => {
    const { unpack } = openPool()
    expect(String(await unpack(whole, 1, encoding))).toBe(TEXT)
  })

  test.each([
    ['is none', Buffer.from('hello'), 400, 'invalid_encoding'],
    ['is empty', Buffer.alloc(0), 400, 'invalid_encoding'],
    ['is cut off', whole.subarray(0, -9), 400, 'invalid_encoding'],
    ['lacks its last byte', whole.subarray(0, -1), 400, 'invalid_encoding'],
    ['has bytes behind its end', Buffer.concat([whole, Buffer.from('x')]), 400, 'invalid_encoding'],
    ['unpacks to too much', pack(Buffer.alloc(1001)), 413, 'request_too_large'],
  ])('releases its turn and its bytes when it %s', async (_why, packed, status, code) => {
    const { uploads, unpack } = openPool()
    await expect(unpack(packed, 1, encoding)).rejects.toMatchObject({ status, code })
    expect([uploads.bytes, uploads.decompressionSlots.acquire(1)]).toEqual([0, undefined])
  })
})

test('deflate without its header is decompressed too', async () => {
  const { unpack } = openPool()
  expect(String(await unpack(zlib.deflateRawSync(TEXT), 1, 'deflate'))).toBe(TEXT)
})

test('zstd with a window larger than any body is refused before it takes memory', async () => {
  const { unpack } = openPool()
  const params = { [constants.ZSTD_c_windowLog]: 27 }
  const packed = zstdCompressSync(Buffer.alloc(2 ** 24), { params })
  await expect(unpack(packed, 1, 'zstd')).rejects.toMatchObject({ status: 400 })
})

test('zstd is not offered if Node.js lacks it', () => {
  const decoders = decodersOf({ ...zlib, createZstdDecompress: undefined })
  expect([...decoders.keys()]).toEqual(['gzip', 'deflate', 'br'])
  expect([...DECODERS.keys()]).toEqual(['gzip', 'deflate', 'br', 'zstd'])
})

test('does not start for a client that has disconnected', async () => {
  const { uploads, unpack, request } = openPool()
  await uploads.decompressionSlots.acquire(1)
  const unpacking = unpack(gzipSync(TEXT))
  request.destroyed = true
  uploads.decompressionSlots.release()
  await expect(unpacking).rejects.toMatchObject({ status: 408 })
  expect([uploads.bytes, uploads.decompressionSlots.acquire(1)]).toEqual([0, undefined])
})

test('waits for at most one body of each other user', async () => {
  const { uploads, unpack } = openPool()
  await uploads.decompressionSlots.acquire(9)
  const done: string[] = []
  const bombs = Array.from({ length: 12 }, (_, at) =>
    unpack(gzipSync(Buffer.alloc(1001)), 1).catch(() => done.push(`bomb ${at}`)),
  )
  const other = unpack(gzipSync(TEXT), 2).then(() => done.push('other'))
  uploads.decompressionSlots.release()
  await Promise.all([...bombs, other])
  expect(done.indexOf('other')).toBeLessThanOrEqual(1)
})

test.each(['zstd', 'br'])('files that are repeated far apart pass in %s', async (encoding) => {
  const { unpack } = openPool(5_000_000)
  const file = randomBytes(30_000).toString('hex')
  const history = Buffer.from(file.repeat(60))
  const pack = PACKERS.find(([name]) => name === encoding)?.[1] ?? expect.fail()
  const packed = pack(history)
  expect(history.length / packed.length).toBeGreaterThan(80)
  expect(await unpack(packed, 1, encoding)).toEqual(history)
})
