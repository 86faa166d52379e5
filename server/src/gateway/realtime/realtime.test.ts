import { describe, expect, test } from 'vitest'
import { chargeBasisSchema, TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import {
  answersAll,
  audioDelta,
  type Playing,
  responseCreated,
  responseDone,
  sessionCreated,
  textDelta,
  USAGE,
} from '../../../testing/fakes/realtime-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { stoppingBefore } from '../../../testing/ledger/delayed-holds.ts'
import {
  openBothSides,
  REALTIME_MODEL,
  RESPONSE_COST,
  setUpRealtime,
  SMALL_HOLDS,
  speechStarted,
  talk,
  TRANSCRIPT,
  TRANSCRIPT_USAGE,
  userText,
} from '../../../testing/worlds/realtime-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'

/** A tenth of a second of audio is one input token or two output tokens. */
const PCM_BYTES_PER_TOKEN_HEARD = 4800
const PCM_BYTES_PER_TOKEN_SAID = 2400

/** A provider that plays these events after `response.create`. */
const says =
  (...events: object[]): Playing =>
  async (side) => {
    side.send(sessionCreated())
    await side.next('response.create')
    for (const event of events) side.send(event)
  }

describe.each(DATABASES)('a session on %s', (kind) => {
  test("that ends during a raise of a response's hold leaves nothing held", async () => {
    const { withLedger, isReached, letGo } = stoppingBefore('raise')
    const greets: Playing = (side) => side.send(sessionCreated())
    const limits = { drainMs: 50 }
    const world = await setUpRealtime([[greets]], { kind, limits, withLedger })
    const { client, side } = await openBothSides(world)
    await client.next('session.created')
    client.send(userText('word '.repeat(20_000)))
    await side.next('conversation.item.create')
    side.send(responseCreated('resp_1'))
    await waitUntil(isReached)
    client.socket.terminate()
    await waitUntil(async () => side.closeCode() !== null)
    letGo()
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ end_reason: 'client_left', uncollected: 0 }])
  })

  test('two responses are two requests, each charged exactly by its kinds of tokens', async () => {
    const world = await setUpRealtime([[answersAll()]], { kind })
    const { sdk, next, closed, events } = await talk(world)
    await next('session.created')
    sdk.send({ type: 'response.create' })
    expect(await next('response.done')).toEqual(responseDone('resp_1'))
    sdk.send({ type: 'response.create' })
    await next('response.done', 2)
    sdk.close()
    expect(await closed()).toBe(1000)
    expect(events.map(({ type }) => type).slice(0, 4)).toEqual([
      'session.created',
      'response.created',
      'response.output_text.delta',
      'response.done',
    ])
    const { logs } = await world.books()
    expect(logs).toHaveLength(2)
    for (const log of logs) {
      expect(log).toMatchObject({
        quota: RESPONSE_COST,
        outcome: 'settled',
        end_reason: 'finished',
        model_name: REALTIME_MODEL,
        channel: world.channels[0],
        prompt_tokens: 160,
        completion_tokens: 40,
        uncollected: 0,
      })
      expect(Boolean(log.is_stream)).toBe(true)
      const basis = chargeBasisSchema.parse(JSON.parse(String(log.basis)))
      expect(basis).toMatchObject({
        usage_source: 'reported',
        cached_tokens: 60,
        kinds: [
          { kind: 'audio_prompt', tokens: 40, ratio: 8 },
          { kind: 'audio_completion', tokens: 30, ratio: 16 },
        ],
      })
    }
    expect(new Set(logs.map(({ request_id: id }) => id)).size).toBe(2)
  })

  test('speech is answered automatically, and transcribed at the price of the transcription model', async () => {
    const transcription = { model: 'gpt-4o-transcribe' }
    const play: Playing = async (side) => {
      side.send(sessionCreated())
      const { session } = await side.next('session.update')
      side.send({ type: 'session.updated', session })
      await side.next('input_audio_buffer.append', 10)
      side.send(speechStarted)
      side.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 1000 })
      side.send({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
      side.send(responseCreated('resp_1'))
      side.send(audioDelta('resp_1', 20 * PCM_BYTES_PER_TOKEN_SAID))
      side.send({
        type: `${TRANSCRIPT}.completed`,
        item_id: 'item_1',
        transcript: 'Good day',
        usage: TRANSCRIPT_USAGE,
      })
      side.send(responseDone('resp_1'))
    }
    const world = await setUpRealtime([[play]], { kind })
    const { sdk, next, closed } = await talk(world)
    const session = { type: 'realtime' as const, audio: { input: { transcription } } }
    sdk.send({ type: 'session.update', session })
    await next('session.updated')
    const audio = Buffer.alloc(PCM_BYTES_PER_TOKEN_HEARD).toString('base64')
    for (let count = 0; count < 10; count += 1) {
      sdk.send({ type: 'input_audio_buffer.append', audio })
    }
    await next('response.done')
    sdk.close()
    await closed()
    const { logs } = await world.books()
    // (10 × 2.4 + 5 × 4) × 1.25
    const transcriptCost = 55
    expect(new Map(logs.map(({ model_name: model, quota }) => [model, quota]))).toEqual(
      new Map([
        ['gpt-4o-transcribe', transcriptCost],
        [REALTIME_MODEL, RESPONSE_COST],
      ]),
    )
    expect(logs).toHaveLength(2)
  })

  test('a response ends where the balance ends, and is charged as reported', async () => {
    const quota = 3000
    const usage = {
      total_tokens: 400,
      input_tokens: 20,
      output_tokens: 300,
      input_token_details: { text_tokens: 20 },
      output_token_details: { text_tokens: 300 },
    }
    const play: Playing = async (side) => {
      side.send(sessionCreated({ instructions: '' }))
      await side.next('response.create')
      side.send(responseCreated('resp_1', { output_modalities: ['text'] }))
      for (let count = 0; count < 2000; count += 1) side.send(textDelta('resp_1', ' token'))
      const cancel = await side.next('response.cancel')
      expect(cancel).toEqual({ type: 'response.cancel', response_id: 'resp_1' })
      side.send(responseDone('resp_1', { usage, status: 'cancelled' }))
    }
    const world = await setUpRealtime([[play]], { kind, quota, options: SMALL_HOLDS })
    const { sdk, events, endsWith } = await talk(world)
    sdk.send({ type: 'response.create' })
    await endsWith('insufficient_user_quota')
    const { log, logs } = await world.books()
    expect(logs).toHaveLength(1)
    expect(log).toMatchObject({
      end_reason: 'quota_used_up',
      outcome: 'settled',
      quota: 20 + 4 * 300,
      completion_tokens: 300,
      uncollected: 0,
    })
    // The client got what was paid for and nothing after that.
    const said = events.filter(({ type }) => type === 'response.output_text.delta').length
    expect(said).toBeGreaterThan(300)
    expect(said).toBeLessThan(800)
    expect(world.provider.sessionsOf('p0')[0]?.closeCode()).not.toBeNull()
  })

  // guards: C22.5
  test('without a report, output delivered before the balance ended is charged', async () => {
    const quota = 3000
    const play: Playing = async (side) => {
      side.send(sessionCreated({ instructions: '' }))
      await side.next('response.create')
      side.send(responseCreated('resp_1', { output_modalities: ['text'] }))
      for (let count = 0; count < 2000; count += 1) side.send(textDelta('resp_1', ' token'))
    }
    const world = await setUpRealtime([[play]], { kind, quota, options: SMALL_HOLDS })
    const { sdk, closed, events } = await talk(world)
    sdk.send({ type: 'response.create' })
    expect(await closed()).toBe(1008)
    const said = events.filter(({ type }) => type === 'response.output_text.delta').length
    const { log, account } = await world.books()
    expect(log).toMatchObject({ end_reason: 'quota_used_up', outcome: 'settled', uncollected: 0 })
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(said)
    expect(log?.completion_tokens).toBeLessThanOrEqual(said + 2)
    expect(account.quota).toBeLessThan(quota / 10)
  })

  // guards: C22.2
  test('the next response needs its own balance; without it the session ends', async () => {
    const quota = 24_000
    const dear = { ...USAGE, output_tokens: 900, output_token_details: { audio_tokens: 590 } }
    const world = await setUpRealtime([[answersAll(dear)]], { kind, quota })
    const { sdk, next, closed } = await talk(world)
    sdk.send({ type: 'response.create' })
    await next('response.done')
    await world.books()
    sdk.send({ type: 'response.create' })
    const { error } = await next('error')
    expect(error).toMatchObject({ type: 'one_api_error', code: 'insufficient_user_quota' })
    expect(error?.message).toMatch(/request id: \d+/)
    expect(await closed()).toBe(1008)
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'settled', uncollected: 0 }])
    const asked = world.provider.sessionsOf('p0')[0]?.received
    expect(asked?.filter(({ type }) => type === 'response.create')).toHaveLength(1)
  })

  test('when the provider breaks off, delivered output is charged, and the client receives an error', async () => {
    const play: Playing = async (side) => {
      await says(
        responseCreated('resp_1'),
        textDelta('resp_1', 'Hello there'),
        audioDelta('resp_1', 20 * PCM_BYTES_PER_TOKEN_SAID),
      )(side)
      await side.next('conversation.item.delete')
      side.cut()
    }
    const world = await setUpRealtime([[play]], { kind })
    const { sdk, next, endsWith } = await talk(world)
    const content = [{ type: 'input_text' as const, text: 'Hi' }]
    sdk.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
    sdk.send({ type: 'response.create' })
    await next('response.output_audio.delta')
    sdk.send({ type: 'conversation.item.delete', item_id: 'item_1' })
    await endsWith('upstream_error', 1011)
    const { log } = await world.books()
    // "Be kind." and "Hi" are input; "Hello there" and a second of audio are output.
    const prompt = Number(log?.prompt_tokens)
    expect(prompt).toBeGreaterThanOrEqual(4)
    expect(prompt).toBeLessThanOrEqual(16)
    expect(log).toMatchObject({
      outcome: 'settled',
      end_reason: 'broken_stream',
      completion_tokens: 2 + 20,
      quota: (prompt + 2 * 4 + 20 * 16) * 2,
    })
  })

  test('when the client disconnects, the response is cancelled and charged as reported', async () => {
    const play: Playing = async (side) => {
      await says(responseCreated('resp_1'), textDelta('resp_1', 'Hello'))(side)
      await side.next('response.cancel')
      side.send(textDelta('resp_1', ' nobody'))
      side.send(responseDone('resp_1', { status: 'cancelled' }))
    }
    const world = await setUpRealtime([[play]], { kind })
    const { sdk, next } = await talk(world)
    sdk.send({ type: 'response.create' })
    await next('response.output_text.delta')
    sdk.socket.terminate()
    await waitUntil(async () => world.provider.sessionsOf('p0')[0]?.closeCode() !== null)
    const { logs } = await world.books()
    expect(logs).toMatchObject([
      { end_reason: 'client_left', quota: RESPONSE_COST, outcome: 'settled' },
    ])
  })

  test.each([
    ['a key that is disabled', 'tokens', TOKEN_STATUS.disabled, 'invalid_api_key'],
    ['a banned owner', 'users', USER_STATUS.disabled, 'account_banned'],
  ] as const)('%s ends the next response', async (_what, table, status, code) => {
    const world = await setUpRealtime([[answersAll()]], { kind })
    const { sdk, next, endsWith } = await talk(world)
    sdk.send({ type: 'response.create' })
    await next('response.done')
    await changeRow(world, table, table === 'tokens' ? world.token : world.user, { status })
    sdk.send({ type: 'response.create' })
    await endsWith(code)
    expect((await world.books()).logs).toHaveLength(1)
  })
})
