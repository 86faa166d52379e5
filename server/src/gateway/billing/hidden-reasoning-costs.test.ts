import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import {
  type Behaviour,
  chunk,
  DONE,
  gatedStream,
  USAGE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { setUp } from '../../../testing/worlds/relay-scenario.ts'

const QUOTA = 50_000_000
const DRAIN_MS = 200
const FULL_DRAIN_MS = 2000
const limits = { drainMs: DRAIN_MS, fullDrainMs: FULL_DRAIN_MS }
const clock = FakeClock.withSockets()
/** The provider is read on for this time. */
const drainsFor = (ms: number) => waitUntil(async () => clock.isWaitedFor(ms))

describe.each(DATABASES)('on %s', (kind) => {
  test('hidden reasoning is charged long after the client has disconnected', async () => {
    const usage = { ...USAGE, completion_tokens: 30_000, total_tokens: 30_010 }
    const end = [chunk({ finish: 'stop' }), chunk({ usage }), DONE]
    const { script, letGo } = gatedStream(chunk({ content: 'Hello' }), end)
    const setup = { quota: QUOTA, kind, clock, limits, upstreamLimits: { idleMs: 20_000 } }
    const world = await setUp([{ models: 'o3', script: [script] }], setup)
    const body = { model: 'o3', stream: true, messages: [{ role: 'user', content: 'hi' }] }
    const client = world.askAndLeave(body)
    await client.firstByte()
    await client.leave()
    await drainsFor(FULL_DRAIN_MS)
    await clock.advance(FULL_DRAIN_MS - 1)
    letGo()
    await world.expectLog({ end_reason: 'client_left', completion_tokens: 30_000 })
  })

  describe('speech', () => {
    const SECONDS = 30
    const data = Buffer.alloc(48_000).toString('base64')
    const speaks: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const audio = { id: 'a', data, transcript: 'word ' }
      const delta = { choices: [{ index: 0, delta: { audio }, finish_reason: null }] }
      response.write(`data: ${JSON.stringify(delta)}\n\n`.repeat(SECONDS))
      // The stream never ends by itself.
    }
    const model = 'gpt-4o-audio-preview'
    const asked = {
      model,
      stream: true,
      modalities: ['text', 'audio'],
      messages: [{ role: 'user', content: 'hi' }],
    }

    test('that its client has heard is charged by its length if no usage arrives', async () => {
      const setup = { quota: QUOTA, kind, clock, limits }
      const world = await setUp([{ models: model, script: [speaks] }], setup)
      const client = world.askAndLeave(asked)
      await client.receives(SECONDS * data.length)
      await client.leave()
      await drainsFor(DRAIN_MS)
      await clock.advance(DRAIN_MS)
      const { log } = await world.books()
      expect(log).toMatchObject({ end_reason: 'client_left', outcome: 'settled', uncollected: 0 })
      // 30 words, and 30 seconds of 21 tokens each.
      expect(log?.completion_tokens).toBeGreaterThan(500)
      expect(log?.basis).toContain('"audio_completion"')
    })

    test('is limited by what the balance pays for before it begins', async () => {
      const world = await setUp([{ models: model, script: [speaks] }], { quota: 20_000, kind })
      const client = world.askAndLeave(asked)
      await client.firstByte()
      await client.leave()
      const sent = JSON.parse(world.upstream.requestsOf('p0')[0]?.body.toString() ?? '{}')
      expect(sent.max_tokens).toBeGreaterThan(0)
      expect(sent.max_tokens).toBeLessThan(20_000)
    })
  })
})

test('a balance too small for the shortest speech is refused', async () => {
  const world = await setUp([{ models: 'gpt-4o-audio-preview', script: [] }], { quota: 100 })
  const response = await world.ask({
    model: 'gpt-4o-audio-preview',
    stream: true,
    modalities: ['text', 'audio'],
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(response.status).toBe(403)
})
