import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  responseCreated,
  responseDone,
  textDelta,
} from '../../../testing/fakes/realtime-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  listens,
  openQuietly,
  type RealtimeSetup,
  RESPONSE_COST,
  SECOND,
  setUpRealtime,
  speechStarted,
  userText,
  waits,
} from '../../../testing/worlds/realtime-scenario.ts'

/*
 * Sessions whose clients disconnect before a billable response has been reported.
 */

async function open(setup: RealtimeSetup, session: object = {}, model = 'gpt-realtime') {
  const world = await setUpRealtime([[waits]], {
    realtime: { greetingMs: 20 },
    providers: [{ models: model }],
    ...setup,
  })
  const opened = await openQuietly(world, { session, query: `model=${model}` })
  return { world, ...opened }
}

const sourceOf = (log: { basis: string } | undefined) => JSON.parse(log?.basis || '{}').usage_source

/** The rows that were charged. */
async function charged(world: Awaited<ReturnType<typeof open>>['world']) {
  const { logs } = await world.books()
  const settled = logs.filter(({ outcome }) => outcome === 'settled')
  for (const log of settled) expect(log.quota).toBeLessThanOrEqual(log.held)
  return settled
}

describe('after a client has disconnected', () => {
  test('a response that begins only then is cancelled, and charged as reported', async () => {
    const { world, client, side, request } = await open({ limits: { drainMs: 20_000 } })
    await request()
    client.socket.terminate()
    await waitUntil(async () => (await world.connectionCount()) === 0)
    side.send(responseCreated('resp_1'))
    expect(await side.next('response.cancel')).toMatchObject({ response_id: 'resp_1' })
    side.send(responseDone('resp_1'))
    const [log, ...others] = await charged(world)
    expect(others).toEqual([])
    expect(log).toMatchObject({ quota: RESPONSE_COST, end_reason: 'client_left' })
    expect(sourceOf(log)).toBe('reported')
  })

  test('the answer to speech that was heard is awaited', async () => {
    const { world, client, side } = await open({ limits: { drainMs: 20_000 } }, listens)
    client.send({ type: 'input_audio_buffer.append', audio: SECOND })
    await side.next('input_audio_buffer.append')
    side.send(speechStarted)
    side.send({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
    await client.next('input_audio_buffer.committed')
    client.socket.terminate()
    await waitUntil(async () => (await world.connectionCount()) === 0)
    side.send(responseCreated('resp_1'))
    await side.next('response.cancel')
    side.send(responseDone('resp_1'))
    const [log] = await charged(world)
    expect(log).toMatchObject({ quota: RESPONSE_COST, end_reason: 'client_left' })
  })

  test.each<[string, RealtimeSetup]>([
    ['sessions are not read on', { options: [['DrainEnabled', 'false']] }],
    ['its user has too many drained answers', { limits: { userDrainsMax: 0 } }],
  ])('a requested response costs at least its prompt if %s', async (_why, setup) => {
    const { world, client, request } = await open({ ...setup })
    client.send(userText('one two three four five'))
    await request()
    client.socket.terminate()
    const [log, ...others] = await charged(world)
    expect(others).toEqual([])
    expect(log).toMatchObject({ end_reason: 'client_left' })
    expect(log?.prompt_tokens).toBeGreaterThanOrEqual(5)
  })

  test('a requested response that never begins costs nothing', async () => {
    const { world, client, request } = await open({ limits: { drainMs: 50 } })
    await request()
    client.socket.terminate()
    expect(await charged(world)).toEqual([])
  })

  test.each([
    ['gpt-realtime', 'counted'],
    ['gpt-realtime-2', 'estimated'],
  ])('a response without a report is %s if its model %s', async (...row) => {
    const [model, source] = row
    const { world, client, side, request } = await open({ limits: { drainMs: 50 } }, {}, model)
    await request()
    side.send(responseCreated('resp_1'))
    // Time in which the model may reason.
    await pause(100)
    side.send(textDelta('resp_1', 'Hello there'))
    await client.next('response.output_text.delta')
    client.socket.terminate()
    const [log] = await charged(world)
    expect(sourceOf(log)).toBe(source)
    if (source === 'counted') expect(log?.completion_tokens).toBe(2)
    else expect(log?.completion_tokens).toBeGreaterThanOrEqual(10)
  })
})
