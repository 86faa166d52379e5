import { describe, expect, test } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import {
  type Playing,
  responseCreated,
  responseDone,
  textDelta,
} from '../../../testing/fakes/realtime-upstream.ts'
import {
  openQuietly,
  type RealtimeSetup,
  setUpRealtime,
} from '../../../testing/worlds/realtime-scenario.ts'

/** A model with hidden reasoning, so its whole output is held. */
const MODEL = 'gpt-realtime-2'
const OUTPUT_MOST = 32_000
/** At ratio 2, and sixteen times that for audio output. */
const HELD_FOR_MOST = OUTPUT_MOST * 2 * 16
/** Enough for one such response, but not for two. */
const QUOTA = 1_300_000

const HELLO_THERE = 2

const waits: Playing = () => {}
const listens = { audio: { input: { turn_detection: { type: 'server_vad' } } } }
const speechStarted = { type: 'input_audio_buffer.speech_started', audio_start_ms: 0 }

const told = (limit?: number | string) => (limit === undefined ? {} : { max_output_tokens: limit })
const create = (limit?: number | string) => ({ type: 'response.create', response: told(limit) })
const wrote = (tokens: number) => ({
  input_tokens: 10,
  output_tokens: tokens,
  total_tokens: tokens + 10,
  input_token_details: { text_tokens: 10 },
  output_token_details: { text_tokens: tokens },
})

/** A session whose opening hold is used up. */
async function openSession(setup: RealtimeSetup = {}, session: object = {}) {
  const world = await setUpRealtime([[waits]], {
    realtime: { greetingMs: 20 },
    providers: [{ models: MODEL }],
    options: [['PreConsumedQuota', '0']],
    quota: QUOTA,
    ...setup,
  })
  const { client, side } = await openQuietly(world, { session, query: `model=${MODEL}` })
  client.send(create(1))
  await side.next('response.create')
  side.send(responseCreated('first', told(1)))
  side.send(responseDone('first', { usage: wrote(1) }))
  await client.next('response.done')
  const asked = () => side.received.filter(({ type }) => type === 'response.create').length
  return { world, client, side, asked }
}

type Limit = number | string | undefined

describe('the output limit of a response', () => {
  // guards: C22.4
  test.each<[string, object, Limit[], Limit, boolean]>([
    ['as its client asked', { max_output_tokens: 100 }, ['inf'], undefined, true],
    ['as its provider reports', { max_output_tokens: 100 }, [undefined], 'inf', true],
    ['as its provider reports unasked', { max_output_tokens: 100 }, [], 'inf', true],
    ['as another that was asked for may', {}, [1, 'inf'], undefined, true],
    ['as an answer to speech may', listens, [1], undefined, true],
    ['no more than its client asked', {}, [100], undefined, false],
    ['no more than its session says', { max_output_tokens: 100 }, [undefined], undefined, false],
    ['at most what its provider reports', {}, ['inf'], 100, false],
  ])(
    'decides the hold, and how much reported usage is plausible: %s',
    async (_what, session, limits, limit, isAll) => {
      const opened = await openSession({ quota: 10 * QUOTA }, session)
      const { world, client, side } = opened
      for (const one of limits) client.send(create(one))
      if (limits.length > 0) await side.next('response.create', 1 + limits.length)
      side.send(responseCreated('resp_1', told(limit)))
      side.send(textDelta('resp_1', 'Hello there'))
      side.send(responseDone('resp_1', { usage: wrote(OUTPUT_MOST) }))
      await client.next('response.done', 2)
      client.socket.close()
      await client.closed()
      const { logs } = await world.books()
      const charged = logs.filter(({ outcome }) => outcome === 'settled')
      const basis = chargeBasisSchema.parse(JSON.parse(String(charged.at(-1)?.basis)))
      expect(charged).toHaveLength(2)
      expect(basis.usage_source).toBe(isAll ? 'reported' : 'overruled')
      expect(basis.completion_tokens).toBe(isAll ? OUTPUT_MOST : HELLO_THERE)
      if (isAll) expect(basis.held).toBeGreaterThanOrEqual(HELD_FOR_MOST)
    },
  )

  test("is held before the response is requested, whatever the session's limit", async () => {
    const { client, side, asked } = await openSession({}, { max_output_tokens: 100 })
    client.send(create('inf'))
    await side.next('response.create', 2)
    client.send(create('inf'))
    expect((await client.next('error')).error?.code).toBe('quota_in_use')
    expect(asked()).toBe(2)
  })

  test('ends the session if the balance does not pay for it', async () => {
    const { world, client, side } = await openSession()
    client.send(create('inf'))
    client.send(create(1))
    await side.next('response.create', 3)
    side.send(responseCreated('resp_1', told('inf')))
    side.send(responseCreated('resp_2', told('inf')))
    await side.next('response.cancel', 2)
    for (const id of ['resp_1', 'resp_2']) {
      side.send(responseDone(id, { status: 'cancelled', usage: wrote(5) }))
    }
    expect((await client.next('error')).error?.code).toBe('insufficient_user_quota')
    expect(await client.closed()).toBe(1008)
    const { logs } = await world.books()
    expect(logs.map(({ completion_tokens: tokens }) => tokens)).toEqual([1, 5, 5])
  })

  test('is paid by whichever hold is sufficient', async () => {
    const { world, client, side } = await openSession({}, listens)
    client.send({ ...create(1), event_id: 'mine' })
    await side.next('response.create', 2)
    side.send(speechStarted)
    side.send(responseCreated('resp_1', told('inf')))
    const error = { type: 'invalid_request_error', code: 'busy', message: 'no', event_id: 'mine' }
    side.send({ type: 'error', error })
    side.send(responseDone('resp_1', { usage: wrote(OUTPUT_MOST) }))
    await client.next('response.done', 2)
    client.socket.close()
    await client.closed()
    const { logs } = await world.books()
    const charged = logs.filter(({ outcome }) => outcome === 'settled')
    expect(charged).toMatchObject([
      { completion_tokens: 1 },
      { completion_tokens: OUTPUT_MOST, end_reason: 'finished', uncollected: 0 },
    ])
  })
})
