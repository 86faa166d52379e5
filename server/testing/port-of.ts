import type { Server } from 'node:net'

/** Of a server that listens on one. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no server on a port')
  return address.port
}
