import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'

const UNKNOWN = 'claude-nobody-9'
const NAMED = `model: ${UNKNOWN}`
const MESSAGES = { model: UNKNOWN, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

const good = { script: [answerChat()] }

async function post({ url, key }: World, path: string, body: object) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...z.looseObject({}).parse(await response.json()) }
}

const anthropics = { type: 'error', error: { type: 'not_found_error' } }
const openais = {
  error: { type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
}
const googles = { error: { code: 404, status: 'NOT_FOUND' } }

describe('a model that no channel has', () => {
  const model = `/v1beta/models/${UNKNOWN}`
  test.each([
    ['/v1/messages', MESSAGES, anthropics],
    ['/v1/messages/count_tokens', MESSAGES, anthropics],
    ['/v1/responses', { model: UNKNOWN, input: 'hi' }, openais],
    ['/v1/responses', { model: UNKNOWN, input: 'hi', stream: true }, openais],
    ['/v1/responses/input_tokens', { model: UNKNOWN, input: 'hi' }, openais],
    [`${model}:generateContent`, CONTENTS, googles],
    [`${model}:streamGenerateContent?alt=sse`, CONTENTS, googles],
    [`${model}:countTokens`, CONTENTS, googles],
    [`${model}:embedContent`, { content: { parts: [{ text: 'hi' }] } }, googles],
  ])('is not found at %s', async (path, body, error) => {
    const world = await setUp([good])
    const answer = await post(world, path, body)
    expect(answer).toMatchObject({ ...error, status: 404 })
    expect(JSON.stringify(answer)).toContain(NAMED)
    expect(world.calls()).toEqual([0])
  })

  test.each([
    ['/v1/chat/completions', { ...ASKED, model: UNKNOWN }],
    ['/v1/chat/completions', { ...ASKED, model: UNKNOWN, stream: true }],
    ['/v1/completions', { model: UNKNOWN, prompt: 'hi' }],
    ['/v1/embeddings', { model: UNKNOWN, input: 'hi' }],
    ['/v1/images/generations', { model: UNKNOWN, prompt: 'hi' }],
    ['/v1/audio/speech', { model: UNKNOWN, input: 'hi', voice: 'alloy' }],
    ['/v1/rerank', { model: UNKNOWN, query: 'hi', documents: ['a'] }],
  ])('is 503 at %s, or 404 by the option', async (path, body) => {
    const world = await setUp([good])
    const refusal = { error: { code: 'no_available_channel', param: 'model' } }
    expect(await post(world, path, body)).toMatchObject({ ...refusal, status: 503 })
    await world.setOption('UnknownModelStatus', '404')
    expect(await post(world, path, body)).toMatchObject({ ...openais, status: 404 })
    const { logs } = await world.books()
    expect(logs).toMatchObject([
      { outcome: 'void', end_reason: 'no_channel', quota: 0 },
      { outcome: 'void', end_reason: 'no_channel', quota: 0 },
    ])
  })
})

test.each([
  [CHANNEL_STATUS.autoDisabled, 529, 503],
  [CHANNEL_STATUS.disabled, 404, 404],
])('a model whose only channel has the status %d', async (status, inMessages, inChat) => {
  const world = await setUp([good], { options: [['UnknownModelStatus', '404']] })
  await world.database.change(async (tx) => {
    await tx.updateTable('channels').set({ status }).execute()
  })
  const asked = { ...MESSAGES, model: ASKED.model }
  expect(await post(world, '/v1/messages', asked)).toMatchObject({ status: inMessages })
  expect((await world.ask()).status).toBe(inChat)
})

test('a model of another group is not found', async () => {
  const world = await setUp([{ ...good, group: 'vip' }])
  const asked = { ...MESSAGES, model: ASKED.model }
  expect(await post(world, '/v1/messages', asked)).toMatchObject({ ...anthropics, status: 404 })
})

test('a model whose channels are all in cooldown is 503, whatever the option', async () => {
  const away = { script: [answerError(503, {}, { 'retry-after': '60' })] }
  const world = await setUp([away], {
    options: [
      ['UnknownModelStatus', '404'],
      ['RetryTimes', '0'],
    ],
  })
  for (let turn = 0; turn < 2; turn += 1) {
    expect((await world.ask()).status).toBe(503)
    expect((await post(world, '/v1/messages', { ...MESSAGES, model: ASKED.model })).status).toBe(
      529,
    )
  }
  expect(world.calls()).toEqual([1])
})

test('an endpoint that no provider of a model offers is a 400', async () => {
  const world = await setUp([{ ...good, type: 14 }], { options: [['UnknownModelStatus', '404']] })
  const asked = { model: ASKED.model, input: 'hi' }
  expect(await post(world, '/v1/embeddings', asked)).toMatchObject({
    status: 400,
    error: { code: 'endpoint_not_offered' },
  })
})
