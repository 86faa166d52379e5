import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { setImmediate as soon } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { atEnd } from '../../testing/harness/at-end.ts'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { openDatabase } from './database.ts'
import { openNotifyBus } from './notify-bus.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function openWorld() {
  const place = await openTestDatabase('postgres')
  atEnd(() => place.close())
  const database = await openDatabase(place)
  atEnd(() => database.close())
  return { database, databaseUrl: place.databaseUrl ?? '' }
}

test('messages of one process reach all, as soon as they listen', async () => {
  const { database, databaseUrl } = await openWorld()
  const wires = await Promise.all([1, 2].map(() => openNotifyBus(database, databaseUrl)))
  const heard: string[][] = []
  for (const wire of wires) {
    atEnd(() => wire?.close())
    const own: string[] = []
    heard.push(own)
    wire?.onText((text) => own.push(text))
  }
  await vi.waitFor(
    () => {
      wires[0]?.send('hello')
      expect(heard.map(([first]) => first)).toEqual(['hello', 'hello'])
    },
    { timeout: 5000 },
  )
})

test('a server that is silent for ten seconds is pinged', async () => {
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const { database, databaseUrl } = await openWorld()
  keepAlive.mockClear()
  const wire = await openNotifyBus(database, databaseUrl)
  atEnd(() => wire?.close())
  await vi.waitFor(() => expect(keepAlive.mock.calls).toEqual([[true, 10_000]]))
})

test('a server that accepts the connection and stays silent is abandoned', async () => {
  const { database } = await openWorld()
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const wire = await openNotifyBus(database, `postgres://nobody@127.0.0.1:${portOf(server)}/none`)
  atEnd(() => wire?.close())
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'connection')
  const reconnected = once(server, 'connection', { signal: AbortSignal.timeout(5000) })
  for (let seconds = 0; seconds < 10; seconds++) {
    await vi.advanceTimersByTimeAsync(1000)
    await soon()
  }
  await reconnected
})
