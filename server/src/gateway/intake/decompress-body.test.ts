import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ClientRequest } from '../http-types.ts'
import { GATEWAY_LIMITS } from '../limits.ts'
import { tooLarge } from './body-errors.ts'
import { DECODERS, decompressBody } from './decompress-body.ts'
import { Uploads } from './uploads.ts'

const limits = { ...GATEWAY_LIMITS, decompressionsMax: 1 }

function openPool() {
  const uploads = new Uploads(limits)
  const request = { destroyed: false, readableEnded: true, headers: {}, socket: {} }
  const unpack = (packed: Buffer, user = 1) =>
    decompressBody({ limits, uploads }, packed, {
      request: request as unknown as ClientRequest, // safe because only `destroyed` is read
      encoding: 'gzip',
      createDecoder: DECODERS.get('gzip') ?? expect.fail(),
      uploader: { user, address: '192.0.2.1' },
      bytesMax: 1000,
      tooLarge: () => tooLarge(1000, { isFunded: true }),
    })
  return { uploads, request, unpack }
}

const TEXT = 'hello'.repeat(100)

test('waits for its turn, and is counted meanwhile', async () => {
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

test.each([
  ['is none', Buffer.from('hello'), 400, 'invalid_encoding'],
  ['is cut off', gzipSync(TEXT).subarray(0, -9), 400, 'invalid_encoding'],
  ['unpacks to too much', gzipSync(Buffer.alloc(1001)), 413, 'request_too_large'],
])('gives its turn and its bytes back when it %s', async (_why, packed, status, code) => {
  const { uploads, unpack } = openPool()
  await expect(unpack(packed)).rejects.toMatchObject({ status, code })
  expect([uploads.bytes, uploads.decompressionSlots.acquire(1)]).toEqual([0, undefined])
})

test('is not begun for a client that has left', async () => {
  const { uploads, unpack, request } = openPool()
  await uploads.decompressionSlots.acquire(1)
  const unpacking = unpack(gzipSync(TEXT))
  request.destroyed = true
  uploads.decompressionSlots.release()
  await expect(unpacking).rejects.toMatchObject({ status: 408 })
  expect([uploads.bytes, uploads.decompressionSlots.acquire(1)]).toEqual([0, undefined])
})

test('of one user waits for no more than a body of each other', async () => {
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
