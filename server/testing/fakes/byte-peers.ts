import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { portOf } from '../harness/port-of.ts'
import { openTestTls } from '../harness/tls.ts'

/** A raw TCP server on 127.0.0.1 and its accepted sockets. */
export type Peer = { origin: string; sockets: Socket[]; server: Server }

/**
 * Writes raw bytes in response to request number `count` of a connection. Requests have no body.
 */
export type Answer = (socket: Socket, count: number) => void

export type Peers = ReturnType<typeof createPeers>

export function createPeers() {
  const opened: Peer[] = []

  const openServer = async (server: Server, scheme: 'http' | 'https' = 'http'): Promise<Peer> => {
    const sockets: Socket[] = []
    server.on('connection', (socket: Socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
    })
    const port = await listen(server, '127.0.0.1')
    const peer = { origin: `${scheme}://127.0.0.1:${port}`, sockets, server }
    opened.push(peer)
    return peer
  }

  return {
    opened,
    openServer,
    open: (answer: Answer) => openServer(createServer(answering(answer))),
    openSecure: async (answer: Answer, isTrusted = true) => {
      const tls = await openTestTls()
      const { key, cert } = isTrusted ? tls : tls.untrusted
      const server = createTlsServer({ key, cert }, answering(answer))
      return openServer(
        server.on('tlsClientError', () => {}),
        'https',
      )
    },
    /** Forwards another local address to the same server. */
    openAt: async (host: string, { origin }: Peer): Promise<{ origin: string }> => {
      const { protocol, hostname, port } = new URL(origin)
      if (host === hostname) return { origin }
      const server = createServer((socket) => passOn(socket, Number(port)))
      const ownPort = await listen(server, host)
      opened.push({ origin: '', sockets: [], server })
      return { origin: `${protocol}//${host}:${ownPort}` }
    },
    close: async () => {
      for (const { server, sockets } of opened) {
        for (const socket of sockets) socket.destroy()
        if (!server.listening) continue
        server.close()
        await once(server, 'close')
      }
    },
  }
}

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  // Safe because the server listens on a port, not on a pipe.
  return portOf(server)
}

function answering(answer: Answer) {
  return (socket: Socket) => {
    let come = ''
    let count = 0
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      const parts = (come + bytes.toString('latin1')).split('\r\n\r\n')
      come = parts.pop() ?? ''
      for (let left = parts.length; left > 0; left -= 1) {
        count += 1
        answer(socket, count)
      }
    })
  }
}

function passOn(socket: Socket, port: number) {
  const far = connect(port, '127.0.0.1')
  socket.pipe(far).pipe(socket)
  socket.on('error', () => far.destroy())
  far.on('error', () => socket.destroy())
}
