import { expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerJson,
  answerStream,
  chunk,
  DONE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'

const QUOTA = 100_000
const messages = [{ role: 'user', content: 'word '.repeat(3000) }]
const usage = {
  prompt_tokens: 3000,
  completion_tokens: 100,
  total_tokens: 3100,
  prompt_tokens_details: { cached_tokens: 1000 },
}
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' } }]
const answer = answerJson({ choices, usage })
const stream = answerStream([
  chunk({ content: 'Hello' }),
  chunk({ finish: 'stop' }),
  chunk({ usage }),
  DONE,
])

/** Dollars a call, at 500,000 units a dollar and a group ratio of 2. */
const options = (dollars: number): [['ModelPrice', string], ['GroupRatio', string]] => [
  ['ModelPrice', JSON.stringify({ [MODEL]: dollars })],
  ['GroupRatio', '{"default": 2}'],
]

test.each(DATABASES)('on %s a call costs its price, whatever its tokens', async (kind) => {
  const setup = { kind, quota: QUOTA, options: options(0.01) }
  const world = await setUp([{ script: [answer, stream, answerChat()] }], setup)
  const chat = { model: MODEL, messages, max_completion_tokens: 200 }
  let left = QUOTA
  for (const request of [chat, { ...chat, stream: true }, chat]) {
    const response = await world.ask(request)
    await response.text()
    expect(response.status).toBe(200)
    left -= 0.01 * 500_000 * 2
    const { log, account } = await world.books()
    expect(account).toMatchObject({ quota: left })
    expect(log).toMatchObject({ quota: 10_000 })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      price_version: expect.stringMatching(/\+options$/),
      prompt_tokens: 1000,
      completion_ratio: 0,
      model_ratio: 5,
      measured: { unit: 'call', count: 1 },
    })
  }
})

test.each(DATABASES)('on %s a failed call costs nothing', async (kind) => {
  const setup = { kind, quota: QUOTA, options: options(0.01) }
  const world = await setUp([{ script: [answerError(400, { message: 'no' })] }], setup)
  expect((await world.ask({ model: MODEL, messages })).status).toBe(400)
  expect((await world.books()).account).toMatchObject({ quota: QUOTA })
})

test.each(DATABASES)('on %s a balance below the price of a call pays for none', async (kind) => {
  const setup = { kind, quota: 9999, options: options(0.01) }
  const world = await setUp([{ script: [answer] }], setup)
  expect((await world.ask({ model: MODEL, messages })).status).toBe(403)
  expect((await world.books()).account).toMatchObject({ quota: 9999 })
})

test.each(DATABASES)('on %s a call at 0 dollars is free, also without a balance', async (kind) => {
  const world = await setUp([{ script: [answer] }], { kind, quota: 0, options: options(0) })
  expect((await world.ask({ model: MODEL, messages })).status).toBe(200)
  expect((await world.books()).account).toMatchObject({ quota: 0 })
})
