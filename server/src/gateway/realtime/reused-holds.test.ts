import { describe, expect, test, vi } from 'vitest'
import { chargeBasisSchema, TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import {
  type Playing,
  responseCreated,
  responseDone,
} from '../../../testing/fakes/realtime-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  openQuietly,
  REALTIME_MODEL,
  REALTIME_QUOTA,
  type RealtimeSetup,
  RESPONSE_COST,
  setUpRealtime,
  userText,
} from '../../../testing/worlds/realtime-scenario.ts'
import { systemClock } from '../../clock.ts'

const waits: Playing = () => {}
const listens = { audio: { input: { turn_detection: { type: 'server_vad' } } } }
/** 16-bit samples at 24 kHz. */
const BYTES_PER_SECOND = 48_000
const create = { type: 'response.create' }
const speechStarted = { type: 'input_audio_buffer.speech_started', audio_start_ms: 0 }

/** A session whose only hold is for one response without later input. */
async function openSession(setup: RealtimeSetup, session: object = {}) {
  const world = await setUpRealtime([[waits]], { realtime: { greetingMs: 20 }, ...setup })
  const { client, side } = await openQuietly(world, { session })
  const write = async (tokens: number) => {
    client.send(userText('x'.repeat(tokens)))
    await side.next('conversation.item.create')
  }
  const asked = () => side.received.filter(({ type }) => type === create.type).length
  /** Plays the response to the client's `count`-th request. */
  const answer = async (count: number) => {
    await side.next(create.type, count)
    side.send(responseCreated(`resp_${count}`))
    side.send(responseDone(`resp_${count}`))
    await client.next('response.done', count)
  }
  return { world, client, side, write, asked, answer }
}

const refused = {
  type: 'error',
  error: { type: 'invalid_request_error', code: 'x', message: 'no' },
}

describe.each(DATABASES)('the rest of a hold is kept for the next response on %s', (kind) => {
  // guards: C22.3
  test.each([
    ['that of the opening', false],
    ['that of a response that its provider has refused', true],
  ])('only if it can be paid: %s', async (_what, isRefused) => {
    const { world, client, side, write, asked } = await openSession({ kind, quota: 20_000 })
    if (isRefused) {
      client.send({ ...create, event_id: 'mine' })
      await side.next(create.type)
      side.send({ ...refused, error: { ...refused.error, event_id: 'mine' } })
      await client.next('error')
    }
    const before = asked()
    await write(40_000)
    client.send({ ...create, event_id: 'dear' })
    const { error } = await client.next('error', isRefused ? 2 : 1)
    expect(error).toMatchObject({ type: 'one_api_error', code: 'insufficient_user_quota' })
    expect(await client.closed()).toBe(1008)
    expect(asked()).toBe(before)
    const { logs, account } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'quota_used_up' }])
    expect(account.quota).toBe(20_000)
  })

  test('speech that cannot be paid for is not forwarded', async () => {
    const { world, client, side, write } = await openSession({ kind, quota: 20_000 }, listens)
    side.send(speechStarted)
    await client.next(speechStarted.type)
    await write(40_000)
    side.send(speechStarted)
    expect((await client.next('error')).error?.code).toBe('insufficient_user_quota')
    expect(await client.closed()).toBe(1008)
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'quota_used_up' }])
  })

  test.each([
    ['a key that was disabled', 'tokens', TOKEN_STATUS.disabled, 'invalid_api_key'],
    ['an owner who was banned', 'users', USER_STATUS.disabled, 'account_banned'],
  ] as const)('not for %s', async (_what, table, status, code) => {
    const { world, client, asked } = await openSession({ kind })
    await world.database.change((tx) =>
      tx
        .updateTable(table)
        .set({ status })
        .where('id', '=', table === 'tokens' ? world.token : world.user)
        .execute(),
    )
    client.send(create)
    expect((await client.next('error')).error?.code).toBe(code)
    expect(await client.closed()).toBe(1008)
    expect(asked()).toBe(0)
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'request_refused' }])
  })

  test('not for a response that was not requested, if the key was disabled', async () => {
    const { world, client, side } = await openSession({ kind })
    await world.database.change((tx) =>
      tx
        .updateTable('tokens')
        .set({ status: TOKEN_STATUS.disabled })
        .where('id', '=', world.token)
        .execute(),
    )
    side.send(responseCreated('resp_1'))
    expect((await client.next('error')).error?.code).toBe('invalid_api_key')
    expect(await client.closed()).toBe(1008)
    expect(client.events.map(({ type }) => type)).not.toContain('response.created')
    const { logs, account } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'request_refused' }])
    expect(account.quota).toBe(REALTIME_QUOTA)
  })

  test('at current prices', async () => {
    const { world, client, answer } = await openSession({ kind })
    await world.setOption('ModelRatio', JSON.stringify({ [REALTIME_MODEL]: 3 }))
    client.send(create)
    await answer(1)
    client.socket.close()
    const { log } = await world.books()
    expect(log?.quota).toBe((RESPONSE_COST / 2) * 3)
    expect(chargeBasisSchema.parse(JSON.parse(String(log?.basis))).model_ratio).toBe(3)
  })

  test('and grows with the conversation', async () => {
    const { world, client, write, answer } = await openSession({ kind })
    await write(100_000)
    client.send(create)
    await answer(1)
    client.socket.close()
    const { log, logs } = await world.books()
    const { held } = chargeBasisSchema.parse(JSON.parse(String(log?.basis)))
    // Headroom of audio output at sixteen times the text price, and 500 extra tokens.
    expect(held).toBeGreaterThanOrEqual((100_000 + 4096 * 16 + 500) * 2)
    expect(logs).toHaveLength(1)
  })

  test('as one request per minute, with its current tokens', async () => {
    const options: RealtimeSetup['options'] = [
      ['UserRequestsPerMinute', '1'],
      ['UserTokensPerMinute', '1000'],
    ]
    const { world, client, side, write, asked, answer } = await openSession({ kind, options })
    await write(5000)
    client.send({ ...create, event_id: 'long' })
    const { error } = await client.next('error')
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'long' })
    expect(asked()).toBe(0)
    await world.setOption('UserTokensPerMinute', '2000')
    client.send(create)
    await answer(1)
    client.send({ ...create, event_id: 'second' })
    const second = await client.next('error', 2)
    expect(second.error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'second' })
    client.socket.close()
    expect((await world.books()).logs).toMatchObject([{ quota: RESPONSE_COST }])
    expect(side.received.filter(({ type }) => type === create.type)).toHaveLength(1)
  })

  test('with one token per tenth of a second of audio and per four bytes of text', async () => {
    const options: RealtimeSetup['options'] = [['UserTokensPerMinute', '200']]
    const { world, client, side, write, asked, answer } = await openSession({ kind, options })
    await write(400)
    const audio = Buffer.alloc(15 * BYTES_PER_SECOND).toString('base64')
    client.send({ type: 'input_audio_buffer.append', audio })
    await side.next('input_audio_buffer.append')
    side.send({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
    await client.next('input_audio_buffer.committed')
    client.send(create)
    const { error } = await client.next('error')
    expect(error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/Limit 200, Requested 2[5-9]\d\./),
    })
    expect(asked()).toBe(0)
    await world.setOption('UserTokensPerMinute', '300')
    client.send(create)
    await answer(1)
  })

  test('with all reported tokens of a conversation', async () => {
    const options: RealtimeSetup['options'] = [['UserTokensPerMinute', '5000']]
    const { client, side, write } = await openSession({ kind, options })
    await write(3000)
    client.send(create)
    await side.next(create.type)
    const input_token_details = { text_tokens: 3000, audio_tokens: 0 }
    const usage = { total_tokens: 3040, input_tokens: 3000, output_tokens: 40, input_token_details }
    side.send(responseCreated('resp_1'))
    side.send(responseDone('resp_1', { usage }))
    await client.next('response.done')
    client.send(create)
    expect((await client.next('error')).error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/Limit 5000, Used 3040, Requested 30\d\d\./),
    })
  })

  test('counted once', async () => {
    const { client, side, write } = await openSession({
      kind,
      options: [['UserTokensPerMinute', '1500']],
    })
    await write(4000)
    client.send({ ...create, event_id: 'mine' })
    await side.next(create.type)
    side.send({ ...refused, error: { ...refused.error, event_id: 'mine' } })
    await client.next('error')
    client.send(create)
    await side.next(create.type, 2)
    side.send(responseCreated('resp_1'))
    side.send(responseDone('resp_1'))
    await client.next('response.done')
  })

  test('and as another request after that minute', async () => {
    let later = 0
    const { client, answer } = await openSession({
      kind,
      clock: { ...systemClock, now: () => Date.now() + later },
      options: [['UserRequestsPerMinute', '2']],
    })
    later = 61_000
    client.send(create)
    await answer(1)
    client.send(create)
    expect((await client.next('error')).error?.code).toBe('rate_limit_exceeded')
  })

  test('a session that ends meanwhile leaves nothing held', async () => {
    const more = Promise.withResolvers<void>()
    let isRaising = false
    const { world, client, side, write } = await openSession({
      kind,
      withLedger: (ledger) => ({
        ...ledger,
        hold: async (context, amount) => {
          const outcome = await ledger.hold(context, amount)
          if (outcome.type !== 'held') return outcome
          const raise = outcome.hold.raise.bind(outcome.hold)
          vi.spyOn(outcome.hold, 'raise').mockImplementation(async (wanted) => {
            isRaising = true
            await more.promise
            return raise(wanted)
          })
          return outcome
        },
      }),
    })
    await write(100_000)
    client.send(create)
    await waitUntil(async () => isRaising)
    side.cut()
    await client.next('error')
    more.resolve()
    const { logs, account } = await world.books()
    expect(logs.map(({ outcome }) => outcome)).toEqual(['void'])
    expect(account.quota).toBe(REALTIME_QUOTA)
  })
})
