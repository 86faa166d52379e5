import { afterEach, expect, test } from 'vitest'
import {
  ask,
  ASKED,
  books,
  callsOf,
  QUOTA,
  readError,
  setUp,
  STREAMED,
  tearDown,
} from '../../testing/relay-scenario.ts'
import { type Behaviour, chatAnswer, chunk, neverAnswer } from '../../testing/scripted-upstream.ts'
import { waitUntil } from '../../testing/wait-until.ts'

afterEach(tearDown)

/** Two tries of `FIRST_BYTE_MS` reach over it. */
const TRIES_MS = 600
const FIRST_BYTE_MS = 400
const CHANNELS = 6

test.each([
  ['JSON', ASKED],
  ['stream', STREAMED],
])('no channel is asked for a %s after the time for all of them', async (_what, body) => {
  const silent = Array.from({ length: CHANNELS }, () => ({ script: [neverAnswer] }))
  const world = await setUp(silent, {
    limits: { triesMs: TRIES_MS },
    upstreamLimits: { firstByteMs: FIRST_BYTE_MS },
    options: [['RetryTimes', '10']],
  })
  const askedAt = performance.now()
  const response = await ask(world, body)
  expect(response.status).toBe(504)
  expect((await readError(response)).code).toBe('upstream_timeout')
  expect(performance.now() - askedAt).toBeLessThan(CHANNELS * FIRST_BYTE_MS)
  const { log, logs, account, key } = await books(world)
  const asked = callsOf(world).reduce((sum, calls) => sum + calls, 0)
  expect(asked).toBe(2)
  expect(logs).toHaveLength(1)
  expect(log).toMatchObject({ end_reason: 'deadline', outcome: 'void', quota: 0 })
  expect(JSON.parse(log?.attempts ?? '')).toHaveLength(2)
  expect([account.quota, account.used_quota, key.used_quota]).toEqual([QUOTA, 0, 0])
})

const LONG_MS = 20_000

const headThenNothing: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ content: '' }))
}

test.each([
  ['JSON', ASKED, neverAnswer],
  ['stream', STREAMED, neverAnswer],
  ['stream of which the head has come', STREAMED, headThenNothing],
])(
  'a try at a %s that is under way ends with the time for all of them',
  async (_what, body, silent) => {
    const world = await setUp([{ script: [silent] }, { script: [silent] }], {
      limits: { triesMs: TRIES_MS },
      upstreamLimits: { firstByteMs: LONG_MS, idleMs: LONG_MS },
      options: [['HedgeAfterSeconds', '0.2']],
    })
    const askedAt = performance.now()
    const response = await ask(world, body)
    expect(performance.now() - askedAt).toBeLessThan(LONG_MS / 2)
    expect(response.status).toBe(504)
    const { log, account } = await books(world)
    expect(log).toMatchObject({ end_reason: 'deadline', outcome: 'void', quota: 0 })
    expect(account.quota).toBe(QUOTA)
    const asked = callsOf(world).reduce((sum, calls) => sum + calls, 0)
    await waitUntil(async () => world.upstream.brokenOffCount() === asked)
  },
)

test('an answer that has begun to come has the time that answers have', async () => {
  const slow: Behaviour = async (response) => {
    const text = JSON.stringify(chatAnswer())
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(' ')
    await new Promise((resolve) => setTimeout(resolve, 2 * TRIES_MS))
    response.end(text)
  }
  const world = await setUp([{ script: [slow] }], {
    limits: { triesMs: TRIES_MS },
    upstreamLimits: { firstByteMs: LONG_MS, idleMs: LONG_MS },
  })
  expect((await ask(world, ASKED)).status).toBe(200)
  await books(world)
})
