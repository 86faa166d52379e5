import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** An address behind which something is wrong with the network itself. */
export type BrokenNetwork = { name: string; open: () => Promise<Place>; attempts: string[] }

type Place = { base_url: string; close: () => Promise<void> }

const nothing = async () => {}

const REFUSED = ['first: upstream_fault', 'first: upstream_fault', 'second: served']

/** Resolvers refuse a label of this length without asking anybody. */
const LABEL_TOO_LONG = 'x'.repeat(70)

export const BROKEN_NETWORKS: BrokenNetwork[] = [
  {
    name: 'a connection that is refused',
    open: async () => {
      const { base_url, close } = await listen(() => {})
      await close()
      return { base_url, close: nothing }
    },
    attempts: REFUSED,
  },
  {
    name: 'a name that nobody knows',
    open: async () => ({ base_url: `http://${LABEL_TOO_LONG}.invalid`, close: nothing }),
    attempts: REFUSED,
  },
  {
    name: 'garbage in place of TLS',
    open: async () => {
      const { base_url, close } = await listen((socket) => socket.write('220 welcome\r\n'))
      return { base_url: base_url.replace('http:', 'https:'), close }
    },
    attempts: REFUSED,
  },
  {
    name: 'a connection whose other end is gone without a word',
    open: () => listen((socket) => socket.pause()),
    attempts: ['first: overtaken', 'second hedged: served'],
  },
]

async function listen(onConnection: (socket: Socket) => void): Promise<Place> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    base_url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
