import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { vi } from 'vitest'
import { SqliteThread } from '../../src/store/sqlite-thread.ts'
import { portOf } from './port-of.ts'

type Connection = { trips: number; isAnswered: boolean; asked: string }

export type CountingProxy = {
  databaseUrl: string
  /** How often a client waited for an answer, on connections that sent this text. */
  roundTripsDuring: (run: () => Promise<unknown>, text: string) => Promise<number>
  close: () => Promise<void>
}

/** A proxy in front of a PostgreSQL server that counts round trips. */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const connections = new Set<Connection>()
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    const connection = { trips: 0, isAnswered: true, asked: '' }
    connections.add(connection)
    client.on('data', (bytes) => {
      if (connection.isAnswered) connection.trips += 1
      connection.isAnswered = false
      connection.asked += bytes.toString('latin1')
    })
    server.on('data', () => (connection.isAnswered = true))
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(databaseUrl)
  through.port = String(portOf(proxy))
  through.searchParams.delete('host')
  return {
    databaseUrl: through.href,
    roundTripsDuring: async (run, text) => {
      for (const connection of connections) Object.assign(connection, { trips: 0, asked: '' })
      await run()
      const counted = [...connections].filter(({ asked }) => asked.includes(text))
      return counted.reduce((sum, { trips }) => sum + trips, 0)
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

/** How many messages the SQLite threads that were sent this text got. */
export async function messagesDuring(run: () => Promise<unknown>, text: string): Promise<number> {
  const execute = vi.spyOn(SqliteThread.prototype, 'execute')
  try {
    await run()
    const { calls, contexts } = execute.mock
    const counted = new Set(
      contexts.filter((_thread, at) => calls[at]?.[0].some(({ sql }) => sql.includes(text))),
    )
    return contexts.filter((thread) => counted.has(thread)).length
  } finally {
    execute.mockRestore()
  }
}
