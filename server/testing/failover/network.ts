import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { portOf } from '../harness/port-of.ts'
import { FIRST, role, wordEvents } from './answers.ts'

export type BrokenNetwork = { name: string; open: () => Promise<Place>; attempts: string[] }

type Place = { base_url: string; close: () => Promise<void> }

const nothing = async () => {}

const REFUSED = ['first: upstream_fault', 'first: upstream_fault', 'second: served']

/** Longer than a DNS label may be, so resolvers reject the name locally. */
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
  {
    name: 'a connection that is not answered at all',
    open: openSilence,
    attempts: ['first: overtaken', 'second hedged: served'],
  },
  {
    name: 'a reset in mid-answer',
    open: () => listen((socket) => void socket.once('data', () => void beginAndReset(socket))),
    attempts: ['first: upstream_fault', 'second rescued: served'],
  },
]

async function beginAndReset(socket: Socket) {
  const events = [role(FIRST), ...wordEvents(FIRST, 0, 5)].join('')
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n')
  socket.write('transfer-encoding: chunked\r\n\r\n')
  socket.write(`${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n`)
  await pause(50)
  socket.resetAndDestroy()
}

/** Listens but never accepts. The kernel queues a few connections and then drops the rest. */
const LISTENS_ONLY = `
const { parentPort, workerData } = require('node:worker_threads')
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(workerData, 0, 0))
})`
const WAITING_MAX = 64
/** Longer than any handshake on one machine takes. */
const HANDSHAKE_MS = 1000

async function openSilence(): Promise<Place> {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(LISTENS_ONLY, { eval: true, workerData: gate })
  const port = Number((await once(worker, 'message'))[0])
  const waiting: Socket[] = []
  const close = async () => {
    for (const socket of waiting) socket.destroy()
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
    await worker.terminate()
  }
  let isFull = false
  while (!isFull && waiting.length < WAITING_MAX) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    waiting.push(socket)
    const isIn = once(socket, 'connect').then(() => true)
    isFull = !(await Promise.race([isIn, pause(HANDSHAKE_MS, false)]))
  }
  if (isFull) return { base_url: `http://127.0.0.1:${port}`, close }
  await close()
  throw new Error(`${WAITING_MAX} connections were answered`)
}

async function listen(onConnection: (socket: Socket) => void): Promise<Place> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base_url: `http://127.0.0.1:${portOf(server)}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
