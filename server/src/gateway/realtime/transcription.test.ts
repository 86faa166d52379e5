import { describe, expect, test, vi } from 'vitest'
import { type Playing, sessionCreated } from '../../../testing/fakes/realtime-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { stoppingBefore } from '../../../testing/ledger/delayed-holds.ts'
import {
  openBothSides,
  REALTIME_QUOTA,
  type RealtimeSetup,
  SECOND,
  setUpRealtime,
  speechStarted,
  talk,
  TRANSCRIPT,
  TRANSCRIPT_USAGE,
} from '../../../testing/worlds/realtime-scenario.ts'

const MODEL = 'gpt-4o-transcribe'
const INTENT = 'intent=transcription'

const settings = (model: string) => ({
  type: 'transcription' as const,
  audio: {
    input: {
      format: { type: 'audio/pcm' as const, rate: 24_000 as const },
      transcription: { model },
      turn_detection: null,
    },
  },
})
const greets: Playing = (side) => side.send(sessionCreated(settings(MODEL)))
const served: RealtimeSetup = { providers: [{ models: `${MODEL},whisper-1` }] }
/** (10 × 2.4 + 5 × 4) × 1.25 */
const COST = 55
/** A second of audio and "Good day", which is two tokens. */
const COST_WRITTEN = Math.ceil((10 * 2.4 + 2 * 4) * 1.25)
/** A second of audio and an estimated text of four tokens. */
const COST_ESTIMATED = Math.ceil((10 * 2.4 + 4 * 4) * 1.25)

async function open(setup: RealtimeSetup = {}) {
  const world = await setUpRealtime([[greets]], { ...served, ...setup })
  const { client, side } = await openBothSides(world, INTENT)
  await client.next('session.created')
  let pieces = 0
  const speak = async (seconds = 1) => {
    client.send({ type: 'input_audio_buffer.append', audio: SECOND.repeat(seconds) })
    pieces += 1
    await side.next('input_audio_buffer.append', pieces)
  }
  const commit = (item: string) =>
    side.send({ type: 'input_audio_buffer.committed', item_id: item })
  const write = (item: string, delta: string) =>
    side.send({ type: `${TRANSCRIPT}.delta`, item_id: item, delta })
  const finish = (item: string, usage: object | null = TRANSCRIPT_USAGE) =>
    side.send({ type: `${TRANSCRIPT}.completed`, item_id: item, transcript: 'Good day', usage })
  return { world, client, side, speak, commit, write, finish }
}

describe('a transcription-only session', () => {
  test('works for the official client, and charges the reported usage of each item', async () => {
    const world = await setUpRealtime([[greets]], { ...served })
    const { sdk, next, closed } = await talk(world, { intent: 'transcription' })
    await next('session.created')
    const [side] = world.provider.sessionsOf('p0')
    if (side === undefined) throw new Error('no session at the provider')
    expect(side.url).toBe(`/v1/realtime?${INTENT}`)
    const session = settings('whisper-1')
    sdk.send({ type: 'session.update', session })
    expect(await side.next('session.update')).toMatchObject({ session })
    const usage = TRANSCRIPT_USAGE
    for (const item of ['item_1', 'item_2']) {
      side.send(speechStarted)
      side.send({ type: 'input_audio_buffer.committed', item_id: item })
      side.send({ type: `${TRANSCRIPT}.delta`, item_id: item, delta: 'Good ' })
      side.send({ type: `${TRANSCRIPT}.completed`, item_id: item, transcript: 'Good day', usage })
    }
    await next(`${TRANSCRIPT}.completed`, 2)
    // A transcription session holds nothing for responses.
    expect(world.ledger.running()).toBe(1)
    sdk.close()
    await closed()
    const { logs } = await world.books()
    expect(new Set(logs.map(({ model_name: name }) => name))).toEqual(new Set([MODEL]))
    const costs = logs.map(({ quota }) => Number(quota))
    expect(costs.toSorted((one, other) => one - other)).toEqual([0, COST, COST])
  })

  test('charges a repeated item once', async () => {
    const { world, client, commit, finish } = await open()
    commit('item_1')
    finish('item_1')
    finish('item_1')
    await client.next(`${TRANSCRIPT}.completed`, 2)
    client.socket.close()
    expect((await world.books()).account.quota).toBe(REALTIME_QUOTA - COST)
  })

  test.each([true, false])('leaving during an item costs it (whole: %s)', async (isWhole) => {
    const { world, client, speak, commit, write } = await open({ limits: { drainMs: 50 } })
    await speak()
    if (isWhole) commit('item_1')
    write('item_1', 'Good day')
    await client.next(`${TRANSCRIPT}.delta`)
    client.socket.terminate()
    const quota = isWhole ? COST_ESTIMATED : COST_WRITTEN
    const { account, logs } = await world.books()
    expect(account.used_quota).toBe(quota)
    expect(logs).toContainEqual(
      expect.objectContaining({ quota, end_reason: 'client_left', outcome: 'settled' }),
    )
  })

  test('an item that fails after some text costs that text', async () => {
    const { world, client, side, speak, commit, write } = await open()
    await speak()
    commit('item_1')
    write('item_1', 'Good day')
    commit('item_2')
    for (const item_id of ['item_1', 'item_2']) {
      side.send({ type: `${TRANSCRIPT}.failed`, item_id, error: { message: 'no' } })
    }
    await client.next(`${TRANSCRIPT}.failed`, 2)
    client.socket.close()
    const quota = COST_WRITTEN
    const { account, logs } = await world.books()
    expect(account.used_quota).toBe(quota)
    expect(logs).toContainEqual(
      expect.objectContaining({ quota, end_reason: 'broken_stream', outcome: 'settled' }),
    )
    expect(logs).toContainEqual(expect.objectContaining({ quota: 0, outcome: 'void' }))
  })

  test('usage reported while the session closes was charged before', async () => {
    const { withLedger, isReached, letGo } = stoppingBefore('settle')
    const limits = { drainMs: 50 }
    const { world, client, commit, write, finish } = await open({ limits })
    const { hold } = withLedger(world.ledger)
    const spy = vi.spyOn(world.ledger, 'hold').mockImplementation(hold)
    commit('item_1')
    write('item_1', 'Good day')
    await client.next(`${TRANSCRIPT}.delta`)
    client.socket.terminate()
    await waitUntil(isReached)
    finish('item_1')
    // The second item's hold is taken after earlier events were read.
    write('item_2', 'Good')
    await waitUntil(async () => spy.mock.calls.length >= 2)
    letGo()
    const { logs } = await world.books()
    expect(logs.filter(({ outcome }) => outcome === 'settled')).toHaveLength(1)
  })

  test.each(['committed', `delta`])('leaving during a hold returns the hold (%s)', async (what) => {
    const { world, client, commit, write } = await open({ limits: { drainMs: 50 } })
    const hold = world.ledger.hold.bind(world.ledger)
    const held = Promise.withResolvers<void>()
    const spy = vi.spyOn(world.ledger, 'hold').mockImplementation(async (...given) => {
      await held.promise
      return hold(...given)
    })
    if (what === 'committed') commit('item_1')
    else write('item_1', 'Good')
    await waitUntil(async () => spy.mock.calls.length > 0)
    client.socket.terminate()
    await waitUntil(async () => world.provider.sessionsOf('p0')[0]?.closeCode() !== null)
    held.resolve()
    await spy.mock.results[0]?.value
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ quota: 0 }, { quota: 0, end_reason: 'client_left' }])
  })

  test('the hold of an ongoing transcript grows, and the transcript ends where the balance ends', async () => {
    const quota = 3000
    const { world, client, speak, write } = await open({ quota })
    for (let count = 0; count < 60 && client.socket.readyState === 1; count += 1) {
      await speak()
      write('item_1', 'well ')
      await waitUntil(
        async () => client.events.length > count + 1 || client.socket.readyState !== 1,
      )
      if (client.events.some(({ type }) => type === 'error')) break
    }
    await client.endsWith('insufficient_user_quota')
    const { account, logs } = await world.books()
    expect(logs.every(({ uncollected }) => uncollected === 0)).toBe(true)
    expect(account.quota).toBeLessThan(quota)
    expect(account.quota).toBeGreaterThanOrEqual(0)
  })

  test('a withheld delta is not charged, the heard audio is', async () => {
    const quota = 3000
    const { world, client, speak, write } = await open({ quota })
    await speak()
    write('item_1', 'Good day')
    await client.next(`${TRANSCRIPT}.delta`)
    for (let minute = 0; minute < 2; minute += 1) await speak(60)
    write('item_1', ' word'.repeat(100))
    expect((await client.next('error')).error?.code).toBe('insufficient_user_quota')
    const { account, logs } = await world.books()
    const written = logs.find((row) => Number(row.quota) > 0)
    expect(written).toMatchObject({ completion_tokens: 2, prompt_tokens: 1210 })
    expect(account.quota).toBe(quota - Number(written?.quota))
  })
})

test.each([
  { type: 'response.create' },
  { type: 'session.update', session: { type: 'realtime', instructions: 'Answer.' } },
])('no response is created: %j', async (event) => {
  const { client, side, speak } = await open()
  client.send({ ...event, event_id: 'mine' })
  expect((await client.next('error')).error).toMatchObject({
    code: 'no_responses',
    event_id: 'mine',
  })
  await speak()
  expect(side.received.map(({ type }) => type)).toEqual(['input_audio_buffer.append'])
})

test.each([
  ['the model that the address names', `${INTENT}&model=whisper-1`, { models: '' }, 'whisper-1'],
  ['the first that its key may use', INTENT, { models: 'other,whisper-1' }, 'whisper-1'],
  ['the first that is served', INTENT, { models: '' }, 'gpt-4o-mini-transcribe'],
])('is routed by %s', async (_what, query, token, model) => {
  const providers = [{ models: 'whisper-1,gpt-4o-mini-transcribe' }]
  const world = await setUpRealtime([[greets]], { providers, token })
  const { client, side } = await openBothSides(world, query)
  await client.next('session.created')
  expect(side.url).toBe(`/v1/realtime?${INTENT}`)
  client.socket.close()
  expect((await world.books()).logs).toMatchObject([{ model_name: model, quota: 0 }])
})
