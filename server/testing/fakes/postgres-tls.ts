import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { portOf } from '../harness/port-of.ts'
import { openTestTls } from '../harness/tls.ts'

/** The first message of a client that asks for TLS. */
const REQUEST_BYTES = 8
const YES = 'S'

/** TLS in front of a PostgreSQL server, with a certificate that no public authority has signed. */
export async function openPostgresTls(databaseUrl: string) {
  const { untrusted, ca } = await openTestTls()
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('readable', () => {
      if (socket.read(REQUEST_BYTES) === null) {
        socket.destroy()
        return
      }
      socket.write(YES)
      const client = new TLSSocket(socket, { isServer: true, ...untrusted })
      const inner = connect(Number(port), hostname)
      client.on('error', () => inner.destroy()).on('close', () => inner.destroy())
      inner.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.pipe(inner).pipe(client)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String(portOf(server))
  url.searchParams.delete('host')
  return {
    ca,
    certificate: untrusted.cert,
    urlWith: (parameters: string) => `${url.href}${url.search === '' ? '?' : '&'}${parameters}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
