import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { portOf } from '../harness/port-of.ts'
import { openTestTls } from '../harness/tls.ts'

/** A TLS proxy in front of a server; only this process trusts its certificate. */
export async function openTlsFront(url: string) {
  const { key, cert } = await openTestTls()
  const { port } = new URL(url)
  const server = createServer({ key, cert }, (socket) => {
    const inner = connect(Number(port), '127.0.0.1')
    socket.on('error', () => inner.destroy()).on('close', () => inner.destroy())
    inner.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.pipe(inner).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `https://127.0.0.1:${portOf(server)}`, close: () => void server.close() }
}
