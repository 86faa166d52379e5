import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from '../harness/port-of.ts'

export type CuttingProxy = {
  databaseUrl: string
  /** Lets the next commit reach the server and loses the acknowledgement. */
  loseNextCommit: () => void
  /** Ends all connections and accepts none until `restore`. */
  sever: () => void
  restore: () => void
  close: () => Promise<void>
}

/** A proxy in front of a PostgreSQL server that loses an acknowledgement on demand. */
export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isArmed = false
  let isSevered = false

  const proxy = createServer((client) => {
    if (isSevered) {
      client.destroy()
      return
    }
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        server.destroy()
      })
    }
    let isLosing = false
    client.on('data', (bytes) => {
      if (isArmed && bytes.includes('commit')) {
        isArmed = false
        isLosing = true
      }
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      // A server that loses its client before it has committed rolls back.
      if (!isLosing) client.write(bytes)
      else if (bytes.includes('COMMIT')) client.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(databaseUrl)
  through.port = String(portOf(proxy))
  through.searchParams.delete('host')
  return {
    databaseUrl: through.href,
    loseNextCommit: () => {
      isArmed = true
    },
    sever: () => {
      isSevered = true
      for (const socket of sockets) socket.destroy()
    },
    restore: () => {
      isSevered = false
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
