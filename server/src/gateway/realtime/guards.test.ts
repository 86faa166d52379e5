import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  answersAll,
  audioDelta,
  type Playing,
  responseCreated,
  responseDone,
  sessionCreated,
  textDelta,
} from '../../../testing/fakes/realtime-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  CREATE,
  openBothSides,
  openClient,
  openRealtime,
  REALTIME_MODEL,
  REALTIME_QUOTA,
  type RealtimeSetup,
  RESPONSE_COST,
  setUpRealtime,
  withKey,
} from '../../../testing/worlds/realtime-scenario.ts'

async function openSession(play: Playing = answersAll(), setup: RealtimeSetup = {}) {
  const world = await setUpRealtime([[play]], setup)
  return { world, ...(await openBothSides(world)) }
}

test('frames that are arriving count like bodies', async () => {
  const { client } = await openSession(answersAll(), { limits: { userArrivingBytesMax: 5000 } })
  client.socket.send('x'.repeat(6000), { fin: false })
  await waitUntil(async () => client.socket.readyState === WebSocket.CLOSED)
})

describe('events of a client', () => {
  test.each([
    [{ type: 'session.update', session: { model: 'gpt-realtime-mini' } }, 'session.model'],
    [{ type: 'session.update', session: { model: ['gpt-realtime'] } }, 'session.model'],
    [{ type: 'response.create', response: { model: 'other' } }, 'response.model'],
  ])('cannot name another model: %j', async (event, param) => {
    const { world, client, side } = await openSession()
    client.send({ ...event, event_id: 'mine' })
    expect((await client.next('error')).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'model_mismatch',
      param,
      event_id: 'mine',
    })
    client.send(CREATE)
    await client.next('response.done')
    expect(side.received.map(({ type }) => type)).toEqual(['response.create'])
    client.socket.close()
    expect((await world.books()).logs).toMatchObject([{ quota: RESPONSE_COST }])
  })

  test("may name the session's model, and cannot hide another in a repeated member", async () => {
    const { side, client } = await openSession()
    client.send({ type: 'session.update', session: { model: REALTIME_MODEL, speed: 1.2 } })
    client.send(
      '{"type":"session.update","session":{"model":"gpt-x"},"type":"other.event","session":{"speed":1}}',
    )
    expect(await side.next('session.update')).toEqual({
      type: 'session.update',
      session: { speed: 1.2 },
    })
    expect(await side.next('other.event')).toEqual({ type: 'other.event', session: { speed: 1 } })
  })

  test('cannot transcribe with a model the key may not use, wherever they name it', async () => {
    const { client, side } = await openSession(answersAll(), { token: { models: REALTIME_MODEL } })
    const transcription = { language: 'en' }
    const session = {
      audio: { input: { transcription } },
      input_audio_transcription: { model: 'whisper-1' },
    }
    client.send({ type: 'session.update', session })
    expect((await client.next('error')).error?.code).toBe('model_not_allowed')
    client.send({ type: 'session.update', Session: session })
    expect((await client.next('error', 2)).error?.['param']).toBe('Session')
    expect(side.received).toEqual([])
  })

  test('cannot transcribe with a model without a price', async () => {
    const { client, side } = await openSession(answersAll(), {
      options: [['DefaultModelRatio', 'null']],
    })
    const transcription = { model: 'nobody-knows' }
    client.send({ type: 'session.update', session: { audio: { input: { transcription } } } })
    expect((await client.next('error')).error?.code).toBe('model_price_unset')
    expect(side.received).toEqual([])
  })

  test.each(['', 'no json', '[1]', '{"type":7}', '{}'])(
    'that are malformed are refused, and the session continues: %j',
    async (frame) => {
      const { world, client, side } = await openSession()
      client.send(frame)
      expect((await client.next('error')).error?.code).toBe('invalid_event')
      client.send(CREATE)
      await client.next('response.done')
      expect(side.received).toHaveLength(1)
      client.socket.close()
      expect((await world.books()).logs).toMatchObject([{ quota: RESPONSE_COST }])
    },
  )

  test.each([
    ['are no events', '{'],
    ['name another model', { type: 'session.update', session: { model: 'other' } }],
  ])('too many frames that %s end the session', async (_what, frame) => {
    const { world, client } = await openSession(answersAll(), { realtime: { refusedEventsMax: 3 } })
    for (let count = 0; count < 5; count += 1) client.send(frame)
    expect(await client.closed()).toBe(1008)
    expect((await world.books()).account.quota).toBe(REALTIME_QUOTA)
  })

  test('a binary frame ends the session, and so does a frame that is too large', async () => {
    const { world, client } = await openSession(answersAll(), { realtime: { frameBytesMax: 5000 } })
    client.send(Buffer.from('{"type":"response.create"}'))
    expect(await client.closed()).toBe(1003)
    const again = await openClient(world)
    again.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(6000) })
    expect(await again.closed()).toBe(1009)
    expect(await world.charges()).toEqual([0, 0])
  })

  test('responses beyond the limit are refused one by one', async () => {
    const { world, client, side } = await openSession((one) => one.send(sessionCreated()), {
      realtime: { pendingResponsesMax: 2 },
    })
    for (let count = 0; count < 3; count += 1) client.send({ ...CREATE, event_id: `e${count}` })
    expect((await client.next('error')).error).toMatchObject({
      code: 'too_many_responses',
      event_id: 'e2',
    })
    // A request the provider refused is no longer awaited.
    side.send({
      type: 'error',
      error: { type: 'invalid_request_error', code: 'x', message: 'no', event_id: 'e0' },
    })
    await client.next('error', 2)
    client.send({ ...CREATE, event_id: 'e3' })
    await side.next('response.create', 3)
    client.socket.close()
    expect((await world.books()).account.quota).toBe(REALTIME_QUOTA)
  })
})

describe('events of a provider', () => {
  test('that are malformed are skipped, and the session continues', async () => {
    const { world, client } = await openSession(async (side) => {
      side.send(sessionCreated())
      side.send('nonsense')
      side.send('{"type":""}')
      side.send(Buffer.from('binary'))
      await answersAll()(side)
    })
    client.send(CREATE)
    await client.next('response.done')
    await client.leave()
    expect(client.events.map(({ type }) => type)).toEqual([
      'session.created',
      'session.created',
      'response.created',
      'response.output_text.delta',
      'response.done',
    ])
    expect((await world.books()).logs).toMatchObject([{ quota: RESPONSE_COST }])
  })

  test("pass unchanged, without data about the provider's account", async () => {
    const unknown = { type: 'something.new', strange: [1.5, 'ü'] }
    const failure = { type: 'server_error', message: 'org-Abc123456 at https://x.example.com' }
    const { client } = await openSession((side) => {
      side.send(sessionCreated({ client_secret: { value: 'ek_secret' } }))
      side.send({ type: 'rate_limits.updated', rate_limits: [{ name: 'tokens', limit: 1 }] })
      side.send({ type: 'error', error: failure })
      side.send(responseCreated('resp_1'))
      const status_details = { type: 'failed', error: failure }
      side.send(responseDone('resp_1', { status: 'failed', usage: null, status_details }))
      side.send(unknown)
    })
    await client.next('something.new')
    expect(client.events).toHaveLength(5)
    expect(client.events.at(-1)).toEqual(unknown)
    const said = JSON.stringify(client.events)
    for (const secret of ['ek_secret', 'org-Abc', 'example.com']) expect(said).not.toContain(secret)
  })

  test('a failed response costs nothing, and a repeated end is charged once', async () => {
    const { world, client } = await openSession(async (side) => {
      side.send(sessionCreated())
      await side.next('response.create')
      side.send(responseCreated('resp_1'))
      side.send(responseDone('resp_1', { status: 'failed', usage: null }))
      await side.next('response.create', 2)
      side.send(responseCreated('resp_2'))
      side.send(responseCreated('resp_2'))
      side.send(responseDone('resp_2'))
      side.send(responseDone('resp_2'))
    })
    client.send(CREATE)
    await client.next('response.done')
    client.send(CREATE)
    await client.next('response.done', 3)
    client.socket.close()
    const { logs } = await world.books()
    expect(logs).toMatchObject([
      { outcome: 'void', end_reason: 'upstream_error' },
      { outcome: 'settled', quota: RESPONSE_COST },
    ])
  })

  test.each([
    ['nothing at all', null, 'counted'],
    ['what cannot be', { input_tokens: 10 ** 9, output_tokens: -1 }, 'counted'],
    ['more than was asked', { input_tokens: 10 ** 6, output_tokens: 2 }, 'overruled'],
    ['more than a model says', { input_tokens: 10, output_tokens: 10 ** 6 }, 'overruled'],
  ])('if the provider reports %s, the tokens are counted', async (_what, usage, usage_source) => {
    const { world, client } = await openSession(answersAll(usage))
    client.send(CREATE)
    await client.next('response.done')
    client.socket.close()
    const { log } = await world.books()
    // "Hello there", after the instructions "Be kind.".
    expect(log).toMatchObject({ outcome: 'settled', completion_tokens: 2 })
    expect(log?.prompt_tokens).toBeGreaterThan(0)
    expect(log?.prompt_tokens).toBeLessThan(20)
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source })
  })

  test('a regular close is passed on to the client', async () => {
    const { client, world } = await openSession((side) => {
      side.send(sessionCreated())
      side.close(1001)
    })
    expect(await client.closed()).toBe(1000)
    expect(client.events.map(({ type }) => type)).toEqual(['session.created'])
    expect((await world.books()).logs).toMatchObject([{ outcome: 'void', end_reason: 'finished' }])
  })
})

describe('limits', () => {
  test('a response beyond the limit per minute is refused, and the session continues', async () => {
    const { world, client, side } = await openSession(answersAll(), {
      options: [['UserRequestsPerMinute', '2']],
    })
    for (let count = 1; count <= 2; count += 1) {
      client.send(CREATE)
      await client.next('response.done', count)
    }
    client.send({ ...CREATE, event_id: 'third' })
    expect((await client.next('error')).error).toMatchObject({
      code: 'rate_limit_exceeded',
      event_id: 'third',
    })
    client.send({ type: 'input_audio_buffer.clear' })
    await side.next('input_audio_buffer.clear')
    expect(side.received.filter(({ type }) => type === 'response.create')).toHaveLength(2)
    client.socket.close()
    expect((await world.books()).logs).toHaveLength(2)
  })

  test.each(['idleMs', 'sessionMs'] as const)('%s ends a session', async (limit) => {
    const { world, client } = await openSession(answersAll(), { realtime: { [limit]: 100 } })
    await client.endsWith('session_expired', 1001)
    expect((await world.books()).logs).toMatchObject([{ end_reason: 'deadline', outcome: 'void' }])
  })

  test('a vanished client is detected by its silence', async () => {
    const world = await setUpRealtime([[answersAll()]], { realtime: { pingMs: 100 } })
    const url = `${world.url.replace('http', 'ws')}/v1/realtime?model=${REALTIME_MODEL}`
    const headers = { authorization: `Bearer ${world.key}` }
    const mute = new WebSocket(url, { headers, autoPong: false })
    mute.on('error', () => {})
    await waitUntil(async () => world.provider.sessionsOf('p0')[0]?.closeCode() === 1000)
    expect((await world.books()).logs).toMatchObject([{ end_reason: 'client_left' }])
    mute.terminate()
  })

  test('a vanished provider is detected too', async () => {
    const { world, client, side } = await openSession(answersAll(), { realtime: { pingMs: 100 } })
    side.pause()
    expect(await client.closed()).toBe(1011)
    expect((await client.next('error')).error?.code).toBe('upstream_error')
    await world.books()
  })

  test('a client that reads nothing pauses its provider, and is disconnected in the end', async () => {
    let sent = 0
    const bytes = 512 * 1024
    const floods: Playing = async (side) => {
      side.send(sessionCreated())
      await side.next('response.create')
      side.send(responseCreated('resp_1'))
      for (; sent < 100; sent += 1) side.send(audioDelta('resp_1', bytes))
    }
    const { client, world } = await openSession(floods, {
      realtime: { stallMs: 700, bufferedBytesMax: 256 * 1024 },
      options: [['DrainEnabled', 'false']],
      quota: 1_000_000_000,
    })
    client.send(CREATE)
    await client.next('response.created')
    client.socket.pause()
    const { log } = await world.books()
    expect(log).toMatchObject({ end_reason: 'client_left', outcome: 'settled' })
    // Only what the client took was read from the provider.
    const tokensSent = (100 * bytes) / 2400
    expect(log?.completion_tokens).toBeGreaterThan(0)
    expect(log?.completion_tokens).toBeLessThan(tokensSent / 2)
    client.socket.terminate()
  })
})

describe('during shutdown', () => {
  test('a running response finishes, and new ones are refused', async () => {
    const { world, client, side } = await openSession(async (one) => {
      one.send(sessionCreated())
      await one.next('response.create')
      one.send(responseCreated('resp_1'))
      one.send(textDelta('resp_1', 'Hello'))
    })
    client.send(CREATE)
    await client.next('response.output_text.delta')
    const stopped = world.gateway().shutDown()
    client.send({ ...CREATE, event_id: 'late' })
    expect((await client.next('error')).error).toMatchObject({
      code: 'shutting_down',
      event_id: 'late',
    })
    const refused = await openRealtime(world, withKey(world.key))
    expect(refused.status).toBe(503)
    side.send(responseDone('resp_1'))
    await client.next('response.done')
    expect(await client.closed()).toBe(1001)
    await stopped
    expect((await world.books()).logs).toMatchObject([
      { end_reason: 'finished', quota: RESPONSE_COST },
    ])
  })

  test('responses that do not end in time are cancelled and charged as reported', async () => {
    const { world, client, side } = await openSession(
      async (one) => {
        one.send(sessionCreated())
        await one.next('response.create')
        one.send(responseCreated('resp_1'))
        await one.next('response.cancel')
        one.send(responseDone('resp_1', { status: 'cancelled' }))
      },
      { realtime: { stopMs: 50 } },
    )
    client.send(CREATE)
    await client.next('response.created')
    await world.gateway().shutDown()
    expect(await client.closed()).toBe(1001)
    expect(side.closeCode()).toBe(1000)
    expect((await world.books()).logs).toMatchObject([
      { end_reason: 'interrupted', quota: RESPONSE_COST },
    ])
  })
})
