import { describe, expect, test } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import {
  responseCreated,
  responseDone,
  textDelta,
} from '../../../testing/fakes/realtime-upstream.ts'
import {
  listens,
  openQuietly,
  type RealtimeSetup,
  setUpRealtime,
  speechStarted,
  waits,
} from '../../../testing/worlds/realtime-scenario.ts'

/** A model with hidden reasoning, so its whole output is held. */
const MODEL = 'gpt-realtime-2'
const OUTPUT_MOST = 32_000
/** At ratio 2, and sixteen times that for audio output. */
const HELD_FOR_MOST = OUTPUT_MOST * 2 * 16
/** Enough for one such response, but not for two. */
const QUOTA = 1_300_000

const HELLO_THERE = 2

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
  const sides = await openQuietly(world, { session, query: `model=${MODEL}` })
  await sides.request({ response: told(1) })
  await sides.answer({ usage: wrote(1) }, told(1))
  return { world, ...sides }
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
      side.send(responseCreated('resp_2', told(limit)))
      side.send(textDelta('resp_2', 'Hello there'))
      side.send(responseDone('resp_2', { usage: wrote(OUTPUT_MOST) }))
      await client.next('response.done', 2)
      await client.leave()
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
    const { client, request, asked } = await openSession({}, { max_output_tokens: 100 })
    await request({ response: told('inf') })
    client.send(create('inf'))
    expect((await client.next('error')).error?.code).toBe('quota_in_use')
    expect(asked()).toBe(2)
  })

  test('ends the session if the balance does not pay for it', async () => {
    const { world, client, side } = await openSession()
    client.send(create('inf'))
    client.send(create(1))
    await side.next('response.create', 3)
    side.send(responseCreated('resp_2', told('inf')))
    side.send(responseCreated('resp_3', told('inf')))
    await side.next('response.cancel', 2)
    for (const id of ['resp_2', 'resp_3']) {
      side.send(responseDone(id, { status: 'cancelled', usage: wrote(5) }))
    }
    await client.endsWith('insufficient_user_quota')
    const { logs } = await world.books()
    expect(logs.map(({ completion_tokens: tokens }) => tokens)).toEqual([1, 5, 5])
  })

  test('is paid by whichever hold is sufficient', async () => {
    const { world, client, side, request } = await openSession({}, listens)
    await request({ response: told(1), event_id: 'mine' })
    side.send(speechStarted)
    side.send(responseCreated('resp_2', told('inf')))
    const error = { type: 'invalid_request_error', code: 'busy', message: 'no', event_id: 'mine' }
    side.send({ type: 'error', error })
    side.send(responseDone('resp_2', { usage: wrote(OUTPUT_MOST) }))
    await client.next('response.done', 2)
    await client.leave()
    const { logs } = await world.books()
    const charged = logs.filter(({ outcome }) => outcome === 'settled')
    expect(charged).toMatchObject([
      { completion_tokens: 1 },
      { completion_tokens: OUTPUT_MOST, end_reason: 'finished', uncollected: 0 },
    ])
  })
})
