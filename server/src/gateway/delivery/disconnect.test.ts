import { expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import {
  answerChat,
  type Behaviour,
  chunk,
  gatedStream,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  expectRefusal,
  inOrder,
  setUp,
  type Setup,
  STREAMED,
} from '../../../testing/worlds/relay-scenario.ts'

const DRAIN_MS = 1500

/** Sends a word, and then nothing until the gateway closes the connection. */
function talker() {
  const state = { hasLeft: false }
  const behaviour: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'Hello' }))
    return new Promise((resolve) => {
      response.once('close', () => {
        state.hasLeft = true
        resolve()
      })
    })
  }
  return { state, behaviour }
}

test.each([
  ['true', 'drain'],
  ['false', 'abort'],
] as const)('the policy is decided as a client disconnects: drains %s', async (drains, policy) => {
  const { state, behaviour } = talker()
  const clock = FakeClock.withSockets()
  const others = drains === 'true' ? 'false' : 'true'
  const world = await setUp(behaviour, {
    clock,
    options: [['DrainEnabled', others]],
    limits: { drainMs: DRAIN_MS },
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = world.askAndLeave(STREAMED)
  await client.firstByte()
  await world.setOption('DrainEnabled', drains)
  await client.leave()
  if (drains === 'true') {
    await waitUntil(async () => clock.isWaitedFor(DRAIN_MS))
    // Changing the option now affects only clients that disconnect later.
    await world.setOption('DrainEnabled', 'false')
    await clock.advance(DRAIN_MS - 1)
    expect(world.ledger.running()).toBe(1)
    await clock.advance(1)
  }
  await waitUntil(async () => state.hasLeft)
  const completion_tokens = expect.toSatisfy((tokens) => tokens > 0)
  await world.expectLog({
    disconnect_policy: policy,
    end_reason: 'client_left',
    completion_tokens,
  })
})

test("without draining, a provider's JSON answer is aborted when its client disconnects", async () => {
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  const silent: Behaviour = (response) => void response.once('close', resolve)
  const world = await setUp(inOrder(silent, answerChat()), {
    options: [['DrainEnabled', 'false']],
    limits: { drainMs: 60_000 },
    upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
  })
  const client = world.askAndLeave(ASKED)
  await waitUntil(async () => world.calls()[0] === 1)
  await client.leave()
  await letGo
  const { log } = await world.books()
  expect(world.calls()).toEqual([1, 0])
  expect(log).toMatchObject({
    disconnect_policy: 'abort',
    end_reason: 'client_left',
    outcome: 'settled',
    // 20 s at 100 tokens per second: the channel has no measurements.
    completion_tokens: 2000,
  })
  expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source: 'estimated' })
  expect(log?.prompt_tokens).toBeGreaterThan(0)
  expect(log?.quota).toBeGreaterThan(0)
})

// guards: C25.1, C25.2
test.each<[string, Setup, string]>([
  ['money', { quota: 300 }, 'quota_in_use'],
  ['place', { options: [['TokenConcurrentRequests', '1']] }, 'rate_limit_exceeded'],
])('a drained request keeps its %s until it ends', async (...row) => {
  const [, setup, code] = row
  const { script: slow, letGo: resolve } = gatedStream(
    chunk({ content: 'Hello' }),
    WHOLE_STREAM.slice(2),
  )
  const world = await setUp([slow, answerChat()], {
    ...setup,
    limits: { drainMs: 60_000 },
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = world.askAndLeave(STREAMED)
  await client.firstByte()
  await client.leave()
  for (let times = 0; times < 5; times++) {
    await expectRefusal(world.ask(), 429, code)
  }
  resolve()
  await waitUntil(async () => (await world.ask()).status === 200)
  const { logs } = await world.books()
  expect(logs[0]).toMatchObject({ end_reason: 'client_left', quota: COST })
})
