import { connect, type Socket } from 'node:net'
import { waitUntil } from './wait-until.ts'

/** A raw TCP client and the text it received. */
export type RawClient = {
  socket: Socket
  said: () => string
  /** Resolves once all of the texts have arrived. */
  hears: (...texts: string[]) => Promise<void>
  closed: Promise<unknown>
}

export function openRawClient(port: number): RawClient {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let said = ''
  socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
  socket.on('error', () => {})
  return {
    socket,
    said: () => said,
    hears: (...texts) => waitUntil(async () => texts.every((text) => said.includes(text))),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  }
}
