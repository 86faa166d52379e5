import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { answersAll, refuses, type Refusing } from '../../../testing/fakes/realtime-upstream.ts'
import { portOf } from '../../../testing/harness/port-of.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  CREATE,
  openClient,
  openRealtime,
  REALTIME_MODEL,
  type RealtimeWorld,
  RESPONSE_COST,
  setUpRealtime,
  withKey,
} from '../../../testing/worlds/realtime-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'
import type { Clock } from '../../clock.ts'

const clock = FakeClock.withSockets()

const hanging: Refusing = { refuse: () => {} }

/** A proxy that accepts after this time and leads nowhere. */
async function startSlowProxy(ms: number) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      void clock.advance(ms).then(() => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { address: `http://127.0.0.1:${portOf(server)}`, close: () => server.close() }
}

/** `timePasses` runs while the session is being opened. */
async function isTimedOut(world: RealtimeWorld, timePasses: () => Promise<void>) {
  const [answered] = await Promise.all([openRealtime(world, withKey(world.key)), timePasses()])
  if (!('body' in answered)) throw new Error('a session was opened')
  expect(answered.status).toBe(504)
  expect(JSON.parse(answered.body)).toMatchObject({ error: { code: 'upstream_timeout' } })
}

/** Lets `ms` pass once this channel has been asked so often. */
async function passOnceAsked(world: RealtimeWorld, channel: string, count: number, ms: number) {
  await waitUntil(async () => world.provider.asked(channel) === count)
  await clock.advance(ms)
}

describe('the deadline of all attempts', () => {
  test.each([
    ['ends before a third channel is asked', { attemptsMs: 900, connectMs: 600 }, 2],
    ['is all that the first channel has', { attemptsMs: 500, connectMs: 20_000 }, 1],
  ])('%s', async (_what, { attemptsMs, connectMs }, calls) => {
    const silent = Array.from({ length: 6 }, () => [hanging])
    const world = await setUpRealtime(silent, {
      clock,
      options: [['RetryTimes', '10']],
      limits: { attemptsMs },
      upstreamLimits: { connectMs },
      // With equal priorities all channels are tried at once, and none is retried after a pause.
      providers: silent.map(() => ({ priority: 0 })),
    })
    const asked = () => silent.reduce((sum, _, index) => sum + world.provider.asked(`p${index}`), 0)
    await isTimedOut(world, async () => {
      for (let count = 1; count <= calls; count += 1) {
        await waitUntil(async () => asked() === count)
        await clock.advance(connectMs)
      }
    })
    expect(asked()).toBe(calls)
    await world.expectLog({ outcome: 'void', quota: 0, end_reason: 'deadline' })
  })

  const ATTEMPTS_MS = 200
  const cutShort = (time: Clock, ...plays: Parameters<typeof setUpRealtime>[0][number]) =>
    setUpRealtime([plays, [hanging]], {
      clock: time,
      options: [['RetryTimes', '10']],
      limits: { attemptsMs: ATTEMPTS_MS },
      providers: [{ priority: 1 }, {}],
    })

  test('has passed even if its timer fires early', async () => {
    const after: Clock['after'] = (ms, run) => clock.after(ms - 3, run)
    const { now, monotonic, soon } = clock
    const world = await cutShort({ now, monotonic, soon, after }, hanging)
    await isTimedOut(world, () => passOnceAsked(world, 'p0', 1, ATTEMPTS_MS - 3))
    expect(world.provider.asked('p1')).toBe(0)
  })

  test('does not affect the health of the channel it cut short', async () => {
    const world = await cutShort(clock, hanging, hanging, hanging, hanging, answersAll())
    for (let count = 1; count <= 4; count += 1) {
      await isTimedOut(world, () => passOnceAsked(world, 'p0', count, ATTEMPTS_MS))
    }
    expect('client' in (await openRealtime(world, withKey(world.key)))).toBe(true)
    expect(world.provider.asked('p1')).toBe(0)
  })
})

test('a proxy has its share of the connect time', async () => {
  const connectMs = 2_000
  const leftMs = 700
  const proxy = await startSlowProxy(connectMs - leftMs)
  try {
    const world = await setUpRealtime([[hanging]], {
      clock,
      options: [['RetryTimes', '0']],
      upstreamLimits: { connectMs },
      providers: [{ config: JSON.stringify({ proxy: proxy.address }) }],
    })
    await isTimedOut(world, async () => {
      await clock.passOnceWaited(leftMs)
    })
  } finally {
    proxy.close()
  }
})

const PATIENT = {
  realtime: { greetingMs: 5000 },
  upstreamLimits: { connectMs: 5000, firstByteMs: 5000 },
}

/** A provider that refuses after `change` has run and the gateway has noticed it. */
const refusesAfter = (change: () => Promise<unknown>): Refusing => ({
  refuse: (socket) => {
    const { refuse } = refuses(503, { error: { message: 'overloaded' } })
    void change()
      .then(() => pause(1500))
      .then(() => refuse(socket))
  },
})

const setChannel = (
  world: RealtimeWorld,
  index: number,
  columns: Partial<Record<'status' | 'status_time' | 'weight', number>>,
) => changeRow(world, 'channels', world.channels[index], columns)

test('a channel that is switched off during another attempt is not tried any more', async () => {
  const off = { status: CHANNEL_STATUS.disabled, status_time: 1 }
  const first = refusesAfter(() => setChannel(world, 1, off))
  const world = await setUpRealtime([[first], [answersAll()]], PATIENT)
  expect((await openRealtime(world, withKey(world.key))).status).toBe(503)
  expect(world.provider.asked('p1')).toBe(0)
})

test('a channel that is switched off while it is awaited is not tried any more', async () => {
  const limited: Refusing = {
    refuse: (socket) =>
      void socket.end(
        'HTTP/1.1 429 Too Many Requests\r\nretry-after: 4\r\ncontent-length: 0\r\n\r\n',
      ),
  }
  const world = await setUpRealtime([[limited, answersAll()]], {
    ...PATIENT,
    clock,
    options: [['RetryTimes', '0']],
  })
  const listed = async () => (await fetch(`${world.url}/v1/models`, withKey(world.key))).text()
  expect((await openRealtime(world, withKey(world.key))).status).toBe(429)
  const waiting = openRealtime(world, withKey(world.key))
  await setChannel(world, 0, { status: CHANNEL_STATUS.disabled, status_time: 1 })
  await waitUntil(async () => !(await listed()).includes(REALTIME_MODEL))
  await clock.passOnceWaited(4000)
  expect((await waiting).status).toBe(503)
  expect(world.provider.asked('p0')).toBe(1)
})

test('a response is charged at current prices, also if channels changed while the session opened', async () => {
  const first = refusesAfter(() => setChannel(world, 0, { weight: 7 }))
  const world = await setUpRealtime([[first], [answersAll()]], PATIENT)
  const client = await openClient(world)
  await world.setOption('ModelRatio', JSON.stringify({ [REALTIME_MODEL]: 3 }))
  client.send(CREATE)
  await client.next('response.done')
  client.socket.close()
  await world.expectLog({ quota: (RESPONSE_COST / 2) * 3 })
})
