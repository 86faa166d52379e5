import { expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import {
  answerChat,
  type Behaviour,
  chunk,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  QUOTA,
  readError,
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
] as const)('with draining %s the policy on the row is %s', async (drains, policy) => {
  const { state, behaviour } = talker()
  const world = await setUp([{ script: [behaviour] }], {
    options: [['DrainEnabled', drains]],
    limits: { drainMs: drains === 'true' ? 300 : 60_000 },
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = world.askAndLeave(STREAMED)
  await client.firstByte()
  await client.leave()
  await waitUntil(async () => state.hasLeft)
  const { log, account } = await world.books()
  expect(log).toMatchObject({ disconnect_policy: policy, end_reason: 'client_left' })
  expect(log?.completion_tokens).toBeGreaterThan(0)
  expect(account.used_quota).toBeGreaterThan(0)
})

test.each([
  ['true', 'drain'],
  ['false', 'abort'],
] as const)(
  'the policy is decided at the moment a client disconnects: draining %s',
  async (drains, policy) => {
    const { state, behaviour } = talker()
    const clock = FakeClock.withSockets()
    const others = drains === 'true' ? 'false' : 'true'
    const world = await setUp([{ script: [behaviour] }], {
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
    expect((await world.books()).log).toMatchObject({ disconnect_policy: policy })
  },
)

test("without draining, a provider's JSON answer is aborted when its client disconnects", async () => {
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  const silent: Behaviour = (response) => void response.once('close', resolve)
  const world = await setUp([{ script: [silent] }, { script: [answerChat()], priority: -1 }], {
    options: [['DrainEnabled', 'false']],
    limits: { drainMs: 60_000 },
    upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
  })
  const client = world.askAndLeave(ASKED)
  await waitUntil(async () => world.calls()[0] === 1)
  await client.leave()
  await letGo
  const { log, account } = await world.books()
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
  expect(account.quota).toBe(QUOTA - (log?.quota ?? 0))
})

// guards: C25.1, C25.2
test.each<[string, Setup, string]>([
  ['money', { quota: 300 }, 'quota_in_use'],
  ['place', { options: [['TokenConcurrentRequests', '1']] }, 'rate_limit_exceeded'],
])('a drained request keeps its %s until it ends', async (...row) => {
  const [, setup, code] = row
  const { promise: goOn, resolve } = Promise.withResolvers<void>()
  const slow: Behaviour = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'Hello' }))
    await goOn
    response.end(WHOLE_STREAM.slice(2).join(''))
  }
  const world = await setUp([{ script: [slow, answerChat()] }], {
    ...setup,
    limits: { drainMs: 60_000 },
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = world.askAndLeave(STREAMED)
  await client.firstByte()
  await client.leave()
  for (let times = 0; times < 5; times++) {
    const refused = await world.ask()
    expect(refused.status).toBe(429)
    expect((await readError(refused)).code).toBe(code)
  }
  resolve()
  await waitUntil(async () => (await world.ask()).status === 200)
  const { logs } = await world.books()
  expect(logs[0]).toMatchObject({ end_reason: 'client_left', quota: COST })
})
