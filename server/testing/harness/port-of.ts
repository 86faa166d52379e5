import type { Server } from 'node:net'

export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no server on a port')
  return address.port
}
