import fastifyCompress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

const BYTES_MIN = 1024
/** Nearly as small as the default level 6, in half the time. */
const GZIP_LEVEL = 4

/**
 * Compresses longer answers, even where keys stand next to text from other users. BREACH does not
 * apply: with SameSite=Strict no other site can make a logged-in browser send requests, so none can
 * guess a key by response length.
 */
export async function compressAnswers(app: FastifyInstance) {
  await app.register(fastifyCompress, {
    encodings: ['gzip'],
    threshold: BYTES_MIN,
    zlibOptions: { level: GZIP_LEVEL },
    globalDecompression: false,
  })
}
