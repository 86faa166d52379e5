import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type Playing,
  responseCreated,
  responseDone,
  sessionCreated,
  textDelta,
  USAGE,
} from '../../../testing/fakes/realtime-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { delaying } from '../../../testing/ledger/delayed-holds.ts'
import {
  openBothSides,
  type RealtimeSetup,
  type RealtimeWorld,
  setUpRealtime,
  SMALL_HOLDS,
  TRANSCRIPT,
  userText,
} from '../../../testing/worlds/realtime-scenario.ts'
import type { CountThread } from '../../scheduler/count-thread.ts'

/** While on, counting tokens fails. */
const fault = vi.hoisted(() => ({ isOn: false }))
vi.mock('../../scheduler/count-thread.ts', async (importOriginal) => {
  const { countThread } = await importOriginal<{ countThread: CountThread }>()
  const count: CountThread['count'] = (...given) =>
    fault.isOn ? Promise.reject(new Error('planted')) : countThread.count(...given)
  return { countThread: { count } }
})

afterEach(() => {
  fault.isOn = false
})

const greets: Playing = (side) => side.send(sessionCreated())
const committed = (item: string) => ({ type: 'input_audio_buffer.committed', item_id: item })
const heard = (item: string) => ({
  type: `${TRANSCRIPT}.delta`,
  item_id: item,
  delta: 'Good day to you',
})
const written = (item: string) => ({
  type: `${TRANSCRIPT}.completed`,
  item_id: item,
  transcript: 'Good day to you',
})

/** A session with transcription. */
async function openSession(
  setup: RealtimeSetup = {},
  prepare: (world: RealtimeWorld) => void = () => {},
) {
  const world = await setUpRealtime([[greets]], { limits: { drainMs: 50 }, ...setup })
  prepare(world)
  const sides = await openBothSides(world)
  const { client, side } = sides
  await client.next('session.created')
  const transcription = { model: 'gpt-4o-transcribe' }
  side.send({ ...sessionCreated({ audio: { input: { transcription } } }), type: 'session.updated' })
  await client.next('session.updated')
  return { world, ...sides }
}

/** Starts a response that does not end. */
async function speak({ client, side, request }: Awaited<ReturnType<typeof openSession>>) {
  await request()
  side.send(responseCreated('resp_1'))
  side.send(textDelta('resp_1', 'Hello there'))
  await client.next('response.output_text.delta')
}

/** Makes the operation fail once, for whichever hold runs it first. */
function failOnce({ ledger }: RealtimeWorld, what: 'settle' | 'raise') {
  const faults = [new RangeError('planted')]
  const hold = delaying(ledger, what, () => {
    const fault = faults.pop()
    if (fault !== undefined) throw fault
  })
  Object.assign(ledger, { hold })
}

test.each([
  ['what was delivered is charged without a report', null, 2, 'counted'],
  ['what its provider reports is charged', USAGE, USAGE.output_tokens, 'reported'],
])('a response that fails %s', async (_what, usage, completion_tokens, usage_source) => {
  const session = await openSession()
  const { world, client, side } = session
  await speak(session)
  side.send(responseDone('resp_1', { status: 'failed', usage }))
  await client.next('response.done')
  client.socket.close()
  const { log } = await world.books()
  const outcome = 'settled'
  expect(log).toMatchObject({ outcome, end_reason: 'broken_stream', completion_tokens })
  expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source })
  expect(log?.quota).toBeGreaterThan(0)
})

test('a report without a prompt gives the output tokens only', async () => {
  const session = await openSession()
  const { world, client, side } = session
  client.send(userText('word '.repeat(500)))
  await side.next('conversation.item.create')
  await speak(session)
  side.send(responseDone('resp_1', { usage: { input_tokens: 0, output_tokens: 50 } }))
  await client.next('response.done')
  client.socket.close()
  const { log } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', completion_tokens: 50 })
  expect(log?.prompt_tokens).toBeGreaterThan(400)
})

describe('a balance that is too small', () => {
  test('the prompt is charged, also if all of the answer was withheld', async () => {
    const options = SMALL_HOLDS
    const session = await openSession({ quota: 30_000, options, realtime: { reportMs: 50 } })
    const { world, client, side, request } = session
    client.send(userText('word '.repeat(3000)))
    await side.next('conversation.item.create')
    await request()
    side.send(responseCreated('resp_1'))
    side.send(textDelta('resp_1', ' token'.repeat(100_000)))
    expect((await client.next('error')).error?.code).toBe('insufficient_user_quota')
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled', completion_tokens: 0 })
    expect(log?.prompt_tokens).toBeGreaterThanOrEqual(3000)
    expect(log?.quota).toBeGreaterThanOrEqual(3000)
  })
})

describe('tokens that cannot be counted', () => {
  /** At 0.38 tokens per byte. */
  const HELLO_THERE = 4
  const GOOD_DAY_TO_YOU = 5

  test.each(['its provider ends without a report', 'its provider breaks off'])(
    'a response that %s is charged by an estimate',
    async (what) => {
      const session = await openSession()
      const { world, client, side } = session
      fault.isOn = true
      await speak(session)
      if (what === 'its provider breaks off') side.cut()
      else side.send(responseDone('resp_1', { usage: null }))
      await client.next(what === 'its provider breaks off' ? 'error' : 'response.done')
      client.socket.close()
      await world.expectLog({
        outcome: 'settled',
        completion_tokens: HELLO_THERE,
        usage_source: 'approximate',
      })
    },
  )

  test.each(['ends', 'is broken off'])('a transcript that %s is estimated too', async (what) => {
    const { world, client, side } = await openSession()
    fault.isOn = true
    for (const item of ['item_1', 'item_2']) {
      side.send(committed(item))
      side.send(what === 'ends' ? written(item) : heard(item))
    }
    await client.next(`${TRANSCRIPT}.${what === 'ends' ? 'completed' : 'delta'}`, 2)
    client.socket.terminate()
    const { logs } = await world.books()
    const settled = logs.filter(({ outcome }) => outcome === 'settled')
    expect(settled).toMatchObject([
      { completion_tokens: GOOD_DAY_TO_YOU },
      { completion_tokens: GOOD_DAY_TO_YOU },
    ])
  })

  test('a response still ends where the balance ends', async () => {
    const session = await openSession({ quota: 3000, options: SMALL_HOLDS })
    const { world, client, side } = session
    fault.isOn = true
    await speak(session)
    for (let count = 0; count < 2000; count += 1) side.send(textDelta('resp_1', ' token'))
    expect((await client.next('error')).error?.code).toBe('insufficient_user_quota')
    await world.expectLog({ outcome: 'settled', end_reason: 'quota_used_up', uncollected: 0 })
  })
})

describe('when a hold fails, nothing stays held', () => {
  test.each(['ends', 'is broken off'])('during a response %s', async (what) => {
    const session = await openSession({}, (world) => failOnce(world, 'settle'))
    const { world, client, side } = session
    await speak(session)
    if (what === 'ends') side.send(responseDone('resp_1'))
    else client.socket.terminate()
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'internal_error' }])
  })

  test('at the beginning of a response', async () => {
    const { world, client, side } = await openSession({}, (opened) => failOnce(opened, 'raise'))
    client.send(userText('word '.repeat(20_000)))
    await side.next('conversation.item.create')
    side.send(responseCreated('resp_1'))
    expect((await client.next('error')).error?.code).toBe('internal_error')
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'internal_error' }])
  })

  test('at the end of a transcript', async () => {
    const { world, client, side } = await openSession({}, (opened) => failOnce(opened, 'settle'))
    side.send(committed('item_1'))
    side.send(written('item_1'))
    expect((await client.next('error')).error?.code).toBe('internal_error')
    const { logs } = await world.books()
    expect(new Set(logs.map(({ outcome }) => outcome))).toEqual(new Set(['void']))
  })

  test('when transcripts are broken off, and the others are charged', async () => {
    const { world, client, side } = await openSession({}, (opened) => failOnce(opened, 'settle'))
    for (const item of ['item_1', 'item_2', 'item_3']) {
      side.send(committed(item))
      side.send(heard(item))
    }
    await client.next(`${TRANSCRIPT}.delta`, 3)
    client.socket.terminate()
    await waitUntil(async () => side.closeCode() !== null)
    const { logs } = await world.books()
    const costs = logs.map(({ quota }) => Number(quota)).filter((quota) => quota > 0)
    expect(costs).toHaveLength(2)
  })
})
