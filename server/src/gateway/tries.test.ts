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
import { neverAnswer } from '../../testing/scripted-upstream.ts'

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
