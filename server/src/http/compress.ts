import fastifyCompress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

const BYTES_MIN = 1024
/** Nearly as small as the usual 6, in half the time. */
const GZIP_LEVEL = 4

/**
 * Compresses longer answers, keys beside other people's texts included: no other site can make a
 * signed-in browser send a request (SameSite=Strict), so none can guess a key by the length (BREACH).
 */
export async function compressAnswers(app: FastifyInstance) {
  await app.register(fastifyCompress, {
    encodings: ['gzip'],
    threshold: BYTES_MIN,
    zlibOptions: { level: GZIP_LEVEL },
    globalDecompression: false,
  })
}
