import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { type Behaviour, chunk, DONE } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { seededRandom } from '../../../testing/ledger/seeded-random.ts'
import { type Setup, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'
import type { Hold, Ledger } from '../../ledger/ledger.ts'

/** Faster than any answer is assumed to be written. */
const TOKENS_PER_SECOND_MAX = 300
const SECOND = 1000

type Thought = { response: ServerResponse; limit: number; perSecond: number; isVisible: boolean }

/** A provider whose models reason, hidden, until `finish`, at any speed. */
function thinker(random: () => number) {
  const running = new Set<Thought>()
  const thinks: Behaviour = (response, request) => {
    const { max_completion_tokens: limit = 100_000 } = JSON.parse(request.body.toString())
    const perSecond = Math.floor(random() * TOKENS_PER_SECOND_MAX)
    const isVisible = random() < 0.5
    const thought = { response, limit, perSecond, isVisible }
    running.add(thought)
    response.on('close', () => running.delete(thought))
    if (!isVisible) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'Hm' }))
  }
  const finish = (thought: Thought, seconds: number) => {
    const { response, limit, perSecond, isVisible } = thought
    running.delete(thought)
    const completion_tokens = Math.max(1, Math.min(limit, Math.floor(perSecond * seconds)))
    if (!isVisible) response.writeHead(200, { 'content-type': 'text/event-stream' })
    const usage = { prompt_tokens: 10, completion_tokens }
    response.end(chunk({ content: 'm' }) + chunk({ finish: 'stop' }) + chunk({ usage }) + DONE)
  }
  return { running, thinks, finish }
}

/** Counts raises that wait for the database: the fake time must not outrun them. */
function countRaises() {
  let pending = 0
  const countIn = (hold: Hold): Hold => ({
    get amount() {
      return hold.amount
    },
    raise: async (amount) => {
      pending += 1
      try {
        return await hold.raise(amount)
      } finally {
        pending -= 1
      }
    },
    settle: (settlement) => hold.settle(settlement),
    void: (end) => hold.void(end),
  })
  const withLedger = (ledger: Ledger): Ledger => ({
    ...ledger,
    hold: async (context, amount) => {
      const outcome = await ledger.hold(context, amount)
      return outcome.type === 'held' ? { ...outcome, hold: countIn(outcome.hold) } : outcome
    },
  })
  return { withLedger, areDone: async () => pending === 0 }
}

const limits = { attemptsMs: 3_600_000 }
const upstreamLimits = { firstByteMs: 3_600_000, idleMs: 3_600_000, totalMs: 3_600_000 }
const options: [['HedgeAfterSeconds', string]] = [['HedgeAfterSeconds', '0']]

const askO3 = (world: World) =>
  world.ask({ model: 'o3', stream: true, messages: [{ role: 'user', content: 'Think.' }] })

/** Starts requests at o3, and returns what advances the time and what ends them all. */
async function startThinking(
  { random, clock, count }: { random: () => number; clock: FakeClock; count: number },
  setup: Setup,
) {
  const { running, thinks, finish } = thinker(random)
  const raises = countRaises()
  const { withLedger } = raises
  const world = await setUp([{ models: 'o3', script: [thinks] }], {
    ...setup,
    clock,
    limits,
    upstreamLimits,
    options,
    withLedger,
  })
  let refused = 0
  const texts = Array.from({ length: count }, async () => {
    const answer = await askO3(world)
    if (answer.status === 429) refused += 1
    return answer.text().catch(() => '')
  })
  await waitUntil(async () => running.size + refused === count)
  return {
    world,
    running,
    finish,
    /** Stops early when nothing is left. */
    pass: async (seconds: number) => {
      for (let passed = 0; passed < seconds && running.size > 0; passed += 1) {
        await clock.advance(SECOND)
        await waitUntil(raises.areDone)
        await new Promise(setImmediate)
      }
    },
    ended: async (seconds: number) => {
      for (const thought of running) finish(thought, seconds)
      return Promise.all(texts)
    },
  }
}

describe.each(DATABASES)('on %s', (kind) => {
  test.each([1, 2, 3])('hidden reasoning stays within the balance of all (%i)', async (seed) => {
    const random = seededRandom(seed)
    const clock = FakeClock.withSockets()
    const quota = 5000 + Math.floor(random() * 40_000)
    const count = 2 + Math.floor(random() * 4)
    const thinking = await startThinking({ random, clock, count }, { kind, quota })
    const { world, running, finish, pass } = thinking
    let seconds = 0
    for (; running.size > 0 && seconds < 300; seconds += 3) {
      await pass(3)
      const [next] = running
      if (next !== undefined && random() < 0.1) finish(next, seconds)
    }
    await thinking.ended(seconds)
    const { logs, account } = await world.books()
    const charged = logs.reduce((sum, log) => sum + log.quota, 0)
    expect(account.quota).toBe(quota - charged)
    expect(account.quota).toBeGreaterThanOrEqual(0)
    expect(logs.map(({ uncollected }) => uncollected)).toEqual(logs.map(() => 0))
  })

  test.each([
    ['before its first token', 0.9],
    ['after its first token', 0],
  ])('a model that reasons %s is stopped where the balance ends', async (_when, random) => {
    const clock = FakeClock.withSockets()
    const quota = 20_000
    // Each alone could pay for its limit.
    const about = { random: () => random, clock, count: 2 }
    const { world, pass, ended } = await startThinking(about, { kind, quota })
    await pass(60)
    const texts = await ended(60)
    expect(texts.join('\n')).toContain('insufficient_user_quota')
    const { logs, account } = await world.books()
    const stopped = logs.find(({ end_reason }) => end_reason === 'quota_used_up')
    expect(stopped).toMatchObject({ outcome: 'settled', uncollected: 0 })
    // A few seconds at an assumed 100 tokens per second and 4 units per token.
    expect(stopped?.quota).toBeGreaterThan(500)
    expect(account.quota).toBe(quota - logs.reduce((sum, log) => sum + log.quota, 0))
  })
})
