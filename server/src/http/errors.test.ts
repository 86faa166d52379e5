import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { AppError } from '@tollgate/contract'
import { createLog } from '../process/log.ts'
import { createErrorHandler } from './errors.ts'

const LIMIT = 100

class Away extends Error {}

async function answerTo(thrown: unknown, headers: Record<string, string> = {}) {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const app = Fastify({ bodyLimit: LIMIT })
  const isDatabaseAway = (error: unknown) => error instanceof Away
  app.setErrorHandler(createErrorHandler({ log, isDatabaseAway }))
  app.post('/', async () => {
    throw thrown
  })
  const {
    statusCode,
    body,
    headers: answered,
  } = await app.inject({
    method: 'POST',
    url: '/?token=in-the-query',
    headers,
    payload: {},
  })
  await app.close()
  return { statusCode, body, headers: answered, lines }
}

test("an AppError is its message, with 200, in the reader's language", async () => {
  const error = new AppError('username_taken', { username: 'bob' })
  const { statusCode, body, lines } = await answerTo(error, { 'accept-language': ' zh-TW' })
  expect(statusCode).toBe(200)
  expect(body).toBe('{"success":false,"message":"用户名“bob”已被占用。","field":"username"}')
  expect(lines).toEqual([])
  expect((await answerTo(error, { 'accept-language': 'en, zh' })).body).toContain('is taken')
})

test('a failure names the input field at fault, and what is wrong with it', async () => {
  const answerIn = async (error: AppError, language: string): Promise<unknown> =>
    JSON.parse((await answerTo(error, { 'accept-language': language })).body)
  const problem = { en: 'at most 3', zh: '最多 3 个' }
  const tooLong = new AppError('invalid_field', { field: 'models.0', problem })
  expect(await answerIn(tooLong, 'en')).toMatchObject({ field: 'models.0', problem: 'at most 3' })
  expect(await answerIn(tooLong, 'zh')).toMatchObject({ field: 'models.0', problem: '最多 3 个' })
  const missing = new AppError('field_missing', { field: 'group' })
  expect(await answerIn(missing, 'en')).toEqual({
    success: false,
    message: 'The field "group" is missing.',
    field: 'group',
    problem: 'must not be empty',
  })
})

test('fields that clients read of a failure stand next to its message', async () => {
  const error = new AppError('user_not_found')
  error.extra = { time: 0, modelName: 'm' }
  expect(JSON.parse((await answerTo(error)).body)).toEqual({
    success: false,
    message: 'There is no such user.',
    time: 0,
    modelName: 'm',
  })
})

test('too many requests have a Retry-After', async () => {
  const { statusCode, headers } = await answerTo(new AppError('too_many_requests', { seconds: 7 }))
  expect([statusCode, headers['retry-after']]).toEqual([429, '7'])
})

test('an unreachable database is 503, and the cause is logged', async () => {
  const { statusCode, body, lines } = await answerTo(new Away('connection refused by 10.0.0.5'))
  expect(statusCode).toBe(503)
  expect(body).not.toContain('10.0.0.5')
  expect(lines.join('')).toContain('10.0.0.5')
})

test('an internal error is 500 without detail; the query is not logged', async () => {
  for (const thrown of [new Error('the detail'), 'the detail', new TypeError('the detail')]) {
    const { statusCode, body, lines } = await answerTo(thrown)
    expect(statusCode).toBe(500)
    expect(body).not.toContain('detail')
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('in-the-query')
  }
})
