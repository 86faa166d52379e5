import { describe, expect, test } from 'vitest'
import {
  responseCreated,
  responseDone,
  textDelta,
  USAGE,
} from '../../../testing/fakes/realtime-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { stoppingBefore } from '../../../testing/ledger/delayed-holds.ts'
import {
  listens,
  openQuietly,
  REALTIME_MODEL,
  REALTIME_QUOTA,
  type RealtimeSetup,
  RESPONSE_COST,
  SECOND,
  setUpRealtime,
  speechStarted,
  TRANSCRIPT,
  userText,
  waits,
} from '../../../testing/worlds/realtime-scenario.ts'

async function openSession(setup: RealtimeSetup, session: object = {}) {
  const world = await setUpRealtime([[waits]], { realtime: { greetingMs: 20 }, ...setup })
  return { world, ...(await openQuietly(world, { session })) }
}

const audioInput = (input: object) => ({
  audio: { input: { format: { type: 'audio/pcm', rate: 24_000 }, ...input } },
})

describe('an answer to speech', () => {
  test('is held before it begins: without the balance the session ends first', async () => {
    const dear = { ...USAGE, output_tokens: 900, output_token_details: { audio_tokens: 590 } }
    const { world, client, side, answer } = await openSession({ quota: 24_000 }, listens)
    side.send(speechStarted)
    await answer({ usage: dear })
    await world.books()
    side.send(speechStarted)
    await client.endsWith('insufficient_user_quota')
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'settled', uncollected: 0 }])
  })

  test('that is interrupted is charged, and the next one has its own hold', async () => {
    const { world, client, side } = await openSession({}, listens)
    for (const id of ['resp_1', 'resp_2']) {
      side.send(speechStarted)
      side.send(responseCreated(id))
      side.send(textDelta(id, 'Well'))
    }
    side.send(responseDone('resp_1', { status: 'cancelled' }))
    side.send(responseDone('resp_2'))
    await client.next('response.done', 2)
    // The second response's hold is settled before its end is forwarded.
    await client.leave()
    const { logs } = await world.books()
    const whole = { quota: RESPONSE_COST, end_reason: 'finished' }
    expect(logs.filter(({ outcome }) => outcome === 'settled')).toMatchObject([whole, whole])
  })

  test('is charged before its end event is sent, like any other', async () => {
    const { withLedger, isReached, letGo } = stoppingBefore('settle')
    const { world, client, side, request } = await openSession({
      tokenQuota: REALTIME_QUOTA,
      limits: { settleWaitMs: 20_000 },
      withLedger,
    })
    await request()
    side.send(responseCreated('resp_1'))
    side.send(responseDone('resp_1'))
    await waitUntil(isReached)
    // Everything sent to the client earlier has arrived when this error arrives.
    client.send('no event')
    await client.next('error')
    expect(client.events.map(({ type }) => type)).not.toContain('response.done')
    letGo()
    await client.next('response.done')
    expect((await world.books()).key.remain_quota).toBe(REALTIME_QUOTA - RESPONSE_COST)
  })

  // guards: L1.5
  test('is not announced if its charge is not recorded, and the session ends', async () => {
    const { withLedger, letGo } = stoppingBefore('settle')
    const limits = { settleWaitMs: 200 }
    const { world, client, side, request } = await openSession({ limits, withLedger })
    await request()
    side.send(responseCreated('resp_1'))
    side.send(responseDone('resp_1'))
    await client.endsWith('database_unavailable')
    expect(client.events.map(({ type }) => type)).not.toContain('response.done')
    letGo()
    expect((await world.books()).account.quota).toBe(REALTIME_QUOTA - RESPONSE_COST)
  })

  test('holds the grown conversation', async () => {
    const text = { output_modalities: ['text'] }
    const { world, client, request, answer } = await openSession({}, text)
    const heldForNext = async () => {
      await request()
      await answer({}, text)
      return (await world.books()).log?.held
    }
    // The first hold was taken before the session's settings were known.
    await heldForNext()
    client.send(userText('x'.repeat(10_000)))
    // The reported first response (100 text and 60 audio tokens at eight times the price), headroom
    // of text at four times the price, 500 extra tokens, and one token per byte. All at ratio 2.
    const known = (100 + 60 * 8 + 4096 * 4 + 500) * 2
    const withItem = await heldForNext()
    expect(withItem).toBeGreaterThanOrEqual(known + 10_000 * 2)
    expect(withItem).toBeLessThan(known + 10_200 * 2)
    expect(await heldForNext()).toBe(known)
  })
})

describe('transcription of speech', () => {
  const writes = (model: string) => audioInput({ turn_detection: null, transcription: { model } })

  async function speak(model: string, setup: RealtimeSetup = {}) {
    const opened = await openSession({ ...setup }, writes(model))
    opened.client.send({ type: 'input_audio_buffer.append', audio: SECOND })
    await opened.side.next('input_audio_buffer.append')
    opened.side.send({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
    await opened.client.next('input_audio_buffer.committed')
    return opened
  }

  const costs: [string, object | null, number][] = [
    // Two seconds count as 7 tokens at ratio 15.
    ['whisper-1', { type: 'duration', seconds: 1.2 }, 105],
    ['whisper-1', null, 60],
    ['gpt-4o-transcribe', { type: 'duration', seconds: -1 }, 35],
    ['gpt-4o-transcribe', { input_tokens: 10 ** 6, output_tokens: 1 }, 35],
  ]
  test.each(costs)('by %s, reported as %j, costs %i', async (model, usage, cost) => {
    const { world, client, side } = await speak(model)
    expect(world.ledger.running()).toBe(2)
    side.send({ type: `${TRANSCRIPT}.completed`, item_id: 'item_1', transcript: 'Hi', usage })
    await client.next(`${TRANSCRIPT}.completed`)
    client.socket.close()
    const { logs } = await world.books()
    expect(logs).toHaveLength(2)
    expect(logs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ model_name: model, outcome: 'settled', quota: cost }),
        expect.objectContaining({ model_name: REALTIME_MODEL, outcome: 'void' }),
      ]),
    )
  })

  test('is charged also without an announcement', async () => {
    const { world, client, side } = await openSession({}, writes('whisper-1'))
    const usage = { type: 'duration', seconds: 1 }
    side.send({ type: `${TRANSCRIPT}.completed`, item_id: 'item_9', transcript: 'Hi', usage })
    await client.next(`${TRANSCRIPT}.completed`)
    client.socket.close()
    expect((await world.books()).account.quota).toBe(REALTIME_QUOTA - 60)
  })

  test.each(['whisper-1', 'gpt-4o-transcribe'])(
    'is charged by audio length if the client disconnects without a report: %s',
    async (model) => {
      const { world, client } = await speak(model, { limits: { drainMs: 100 } })
      client.socket.close()
      const { logs } = await world.books()
      const log = logs.find(({ model_name: name }) => name === model)
      expect(log).toMatchObject({ outcome: 'settled', end_reason: 'client_left' })
      expect(log?.quota).toBeGreaterThan(0)
      expect(log?.quota).toBeLessThanOrEqual(log?.held ?? 0)
    },
  )

  test('is awaited after the client has disconnected', async () => {
    const { world, client, side } = await speak('whisper-1')
    client.socket.terminate()
    const usage = { type: 'duration', seconds: 1 }
    side.send({ type: `${TRANSCRIPT}.completed`, item_id: 'item_1', transcript: 'Hi', usage })
    expect((await world.books()).account.quota).toBe(REALTIME_QUOTA - 60)
  })
})
