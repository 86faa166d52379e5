import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { compressAnswers } from './compress.ts'

const LONG = 'a line of text\n'.repeat(100)
const LONGER = LONG.repeat(50)

async function ask(answer: unknown, headers: Record<string, string>, type = 'text/csv') {
  const app = Fastify()
  compressAnswers(app)
  app.get('/', (_request, reply) =>
    reply.headers({ 'content-type': type, vary: 'origin' }).send(answer),
  )
  const response = await app.inject({ url: '/', headers })
  await app.close()
  return response
}

test.each([
  ['a text', LONG, LONG],
  ['a text that takes another thread', LONGER, LONGER],
  ['bytes', Buffer.from(LONG), LONG],
  ['a stream', () => Readable.from([LONG, LONG]), LONG + LONG],
])('%s is compressed', async (_what, given, text) => {
  const answer = typeof given === 'function' ? given() : given
  const { headers, rawPayload } = await ask(answer, { 'accept-encoding': 'br;q=1, gzip;q=0.5' })
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'origin, accept-encoding' })
  expect(gunzipSync(rawPayload).toString()).toBe(text)
  expect(rawPayload.length).toBeLessThan(text.length)
})

test.each([
  ['a client that does not say so', LONG, {}, 'text/csv'],
  ['a client of other codings', LONG, { 'accept-encoding': 'br, deflate' }, 'text/csv'],
  ['a client that refuses gzip', LONG, { 'accept-encoding': 'br, gzip;q=0' }, 'text/csv'],
  ['events', LONG, { 'accept-encoding': 'gzip' }, 'text/event-stream'],
  ['a picture', LONG, { 'accept-encoding': 'gzip' }, 'image/png'],
  ['a short answer', 'short', { 'accept-encoding': 'gzip' }, 'text/csv'],
])('for %s nothing is compressed', async (_what, answer, asked, type) => {
  const { headers, payload } = await ask(answer, asked, type)
  expect(headers['content-encoding']).toBeUndefined()
  expect(payload).toBe(answer)
})
