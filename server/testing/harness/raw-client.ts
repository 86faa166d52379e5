import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { waitUntil } from './wait-until.ts'

/** A raw TCP client and the text it received. */
export type RawClient = {
  socket: Socket
  received: () => string
  /** Resolves once all of the texts have arrived. */
  waitFor: (...texts: string[]) => Promise<void>
  closed: Promise<unknown>
}

/** Connects to the server of this address until the test has ended. */
export function openRawClient({ url }: { url: string }): RawClient {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay(true)
  onTestFinished(() => void socket.destroy())
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
