import { connect, type Socket } from 'node:net'
import { waitUntil } from './wait-until.ts'

/** A raw TCP client and the text it received. */
export type RawClient = {
  socket: Socket
  received: () => string
  /** Resolves once all of the texts have arrived. */
  waitFor: (...texts: string[]) => Promise<void>
  closed: Promise<unknown>
}

export function openRawClient(port: number): RawClient {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let received = ''
  socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')))
  socket.on('error', () => {})
  return {
    socket,
    received: () => received,
    waitFor: (...texts) => waitUntil(async () => texts.every((text) => received.includes(text))),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  }
}
