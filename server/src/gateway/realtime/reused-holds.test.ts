import { describe, expect, test } from 'vitest'
import { chargeBasisSchema, TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import { responseCreated } from '../../../testing/fakes/realtime-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { stoppingBefore } from '../../../testing/ledger/delayed-holds.ts'
import {
  CREATE,
  listens,
  openQuietly,
  REALTIME_MODEL,
  type RealtimeSetup,
  RESPONSE_COST,
  setUpRealtime,
  speechStarted,
  userText,
  waits,
} from '../../../testing/worlds/realtime-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'
import { systemClock } from '../../clock.ts'

/** 16-bit samples at 24 kHz. */
const BYTES_PER_SECOND = 48_000

/** A session whose only hold is for one response without later input. */
async function openSession(setup: RealtimeSetup, session: object = {}) {
  const world = await setUpRealtime([[waits]], { realtime: { greetingMs: 20 }, ...setup })
  const sides = await openQuietly(world, { session })
  const write = async (tokens: number) => {
    sides.client.send(userText('x'.repeat(tokens)))
    await sides.side.next('conversation.item.create')
  }
  return { world, ...sides, write }
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
    const opened = await openSession({ kind, quota: 20_000 })
    const { world, client, side, write, asked, request } = opened
    if (isRefused) {
      await request({ event_id: 'mine' })
      side.send({ ...refused, error: { ...refused.error, event_id: 'mine' } })
      await client.next('error')
    }
    const before = asked()
    await write(40_000)
    client.send({ ...CREATE, event_id: 'dear' })
    const { error } = await client.next('error', isRefused ? 2 : 1)
    expect(error).toMatchObject({ type: 'one_api_error', code: 'insufficient_user_quota' })
    expect(await client.closed()).toBe(1008)
    expect(asked()).toBe(before)
    await world.expectLog({ outcome: 'void', end_reason: 'quota_used_up' })
  })

  test('speech that cannot be paid for is not forwarded', async () => {
    const { world, client, side, write } = await openSession({ kind, quota: 20_000 }, listens)
    side.send(speechStarted)
    await client.next(speechStarted.type)
    await write(40_000)
    side.send(speechStarted)
    await client.endsWith('insufficient_user_quota')
    await world.expectLog({ outcome: 'void', end_reason: 'quota_used_up' })
  })

  test.each([
    ['a key that was disabled', 'tokens', TOKEN_STATUS.disabled, 'invalid_api_key'],
    ['an owner who was banned', 'users', USER_STATUS.disabled, 'account_banned'],
  ] as const)('not for %s', async (_what, table, status, code) => {
    const { world, client, asked } = await openSession({ kind })
    await changeRow(world, table, table === 'tokens' ? world.token : world.user, { status })
    client.send(CREATE)
    await client.endsWith(code)
    expect(asked()).toBe(0)
    await world.expectLog({ outcome: 'void', end_reason: 'request_refused' })
  })

  test('not for a response that was not requested, if the key was disabled', async () => {
    const { world, client, side } = await openSession({ kind })
    await changeRow(world, 'tokens', world.token, { status: TOKEN_STATUS.disabled })
    side.send(responseCreated('resp_1'))
    await client.endsWith('invalid_api_key')
    expect(client.events.map(({ type }) => type)).not.toContain('response.created')
    await world.expectLog({ outcome: 'void', end_reason: 'request_refused' })
  })

  test('at current prices', async () => {
    const { world, client, request, answer } = await openSession({ kind })
    await world.setOption('ModelRatio', JSON.stringify({ [REALTIME_MODEL]: 3 }))
    await request()
    await answer()
    client.socket.close()
    await world.expectLog({ quota: (RESPONSE_COST / 2) * 3, model_ratio: 3 })
  })

  test('and grows with the conversation', async () => {
    const { world, client, write, request, answer } = await openSession({ kind })
    await write(100_000)
    await request()
    await answer()
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
    const opened = await openSession({ kind, options })
    const { world, client, write, asked, request, answer } = opened
    await write(5000)
    client.send({ ...CREATE, event_id: 'long' })
    const { error } = await client.next('error')
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'long' })
    expect(asked()).toBe(0)
    await world.setOption('UserTokensPerMinute', '2000')
    await request()
    await answer()
    client.send({ ...CREATE, event_id: 'second' })
    const second = await client.next('error', 2)
    expect(second.error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'second' })
    client.socket.close()
    expect((await world.books()).logs).toMatchObject([{ quota: RESPONSE_COST }])
    expect(asked()).toBe(1)
  })

  test('with one token per tenth of a second of audio and per four bytes of text', async () => {
    const options: RealtimeSetup['options'] = [['UserTokensPerMinute', '200']]
    const opened = await openSession({ kind, options })
    const { world, client, side, write, asked, request, answer } = opened
    await write(400)
    const audio = Buffer.alloc(15 * BYTES_PER_SECOND).toString('base64')
    client.send({ type: 'input_audio_buffer.append', audio })
    await side.next('input_audio_buffer.append')
    side.send({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
    await client.next('input_audio_buffer.committed')
    client.send(CREATE)
    const { error } = await client.next('error')
    expect(error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/Limit 200, Requested 2[5-9]\d\./),
    })
    expect(asked()).toBe(0)
    await world.setOption('UserTokensPerMinute', '300')
    await request()
    await answer()
  })

  test('with all reported tokens of a conversation', async () => {
    const options: RealtimeSetup['options'] = [['UserTokensPerMinute', '5000']]
    const { client, write, request, answer } = await openSession({ kind, options })
    await write(3000)
    await request()
    const input_token_details = { text_tokens: 3000, audio_tokens: 0 }
    const usage = { total_tokens: 3040, input_tokens: 3000, output_tokens: 40, input_token_details }
    await answer({ usage })
    client.send(CREATE)
    expect((await client.next('error')).error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/Limit 5000, Used 3040, Requested 30\d\d\./),
    })
  })

  test('counted once', async () => {
    const options: RealtimeSetup['options'] = [['UserTokensPerMinute', '1500']]
    const { client, side, write, request, answer } = await openSession({ kind, options })
    await write(4000)
    await request({ event_id: 'mine' })
    side.send({ ...refused, error: { ...refused.error, event_id: 'mine' } })
    await client.next('error')
    await request()
    await answer()
  })

  test('and as another request after that minute', async () => {
    let later = 0
    const { client, request, answer } = await openSession({
      kind,
      clock: { ...systemClock, now: () => Date.now() + later },
      options: [['UserRequestsPerMinute', '2']],
    })
    later = 61_000
    await request()
    await answer()
    client.send(CREATE)
    expect((await client.next('error')).error?.code).toBe('rate_limit_exceeded')
  })

  test('a session that ends meanwhile leaves nothing held', async () => {
    const { withLedger, isReached, letGo } = stoppingBefore('raise')
    const { world, client, side, write } = await openSession({ kind, withLedger })
    await write(100_000)
    client.send(CREATE)
    await waitUntil(isReached)
    side.cut()
    await client.next('error')
    letGo()
    expect((await world.books()).logs).toMatchObject([{ outcome: 'void', quota: 0 }])
  })
})
