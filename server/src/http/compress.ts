import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const BYTES_MIN = 1024
/** A longer answer is compressed on another thread. */
const BYTES_AT_ONCE_MAX = 8 * 1024
/** Nearly as small as the default level 6, in half the time. */
const OPTIONS = { level: 4 }
/** Events must not wait in a compressor. */
const COMPRESSIBLE = /^text\/(?!event-stream)|[+/](?:json|xml)(?:;|$)/
const ACCEPTS_GZIP = /(?:^|,)\s*(?:x-)?gzip\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i

const gzipElsewhere = promisify(gzip)

/**
 * Compresses longer answers, even where keys stand next to text from other users. BREACH does not
 * apply: with SameSite=Strict no other site can make a logged-in browser send requests, so none can
 * guess a key by response length.
 */
export function compressAnswers(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isCompressible(request, reply)) return payload
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload
    const isStream = body instanceof Readable
    const isLong = Buffer.isBuffer(body) && body.length >= BYTES_MIN
    if (!isStream && !isLong) return payload
    reply.header('content-encoding', 'gzip').header('vary', variesBy(reply))
    reply.removeHeader('content-length')
    if (isStream) return pipeline(body, createGzip(OPTIONS), () => {})
    return body.length > BYTES_AT_ONCE_MAX ? gzipElsewhere(body, OPTIONS) : gzipSync(body, OPTIONS)
  })
}

function isCompressible(
  { headers }: FastifyRequest,
  reply: Pick<FastifyReply, 'hasHeader' | 'getHeader' | 'statusCode'>,
): boolean {
  if (!ACCEPTS_GZIP.test(headers['accept-encoding']?.toString() ?? '')) return false
  // A part of an answer is counted in its own bytes.
  if (reply.hasHeader('content-encoding') || reply.statusCode === 206) return false
  return COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))
}

function variesBy(reply: Pick<FastifyReply, 'getHeader'>): string {
  const others = String(reply.getHeader('vary') ?? '')
  return others === '' ? 'accept-encoding' : `${others}, accept-encoding`
}
