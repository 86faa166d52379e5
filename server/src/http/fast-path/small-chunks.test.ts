import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { get, post } from '../../../testing/worlds/fast-path-world.ts'
import { FastConnection } from './fast-connection.ts'
import type { FastRequest } from './fast-request.ts'

const PIECES_MAX = 256

/** A connection over a socket without a peer. */
function openOver(socket: Socket): FastRequest[] {
  const served: FastRequest[] = []
  const connection = new FastConnection(socket, {
    accepts: () => true,
    serve: (request) => void served.push(request),
    handOver: () => {},
    onClosed: () => {},
    isClosing: () => false,
    firstMs: 1000,
    idleMs: () => 1000,
    restMs: 1000,
  })
  expect(connection.isIdle).toBe(true)
  return served
}

const receive = (socket: Socket, text: string) => void socket.emit('data', Buffer.from(text))

test.each([
  ['a body without a reader yet', post('/v1/a', 'x'.repeat(1000)).slice(0, -1000)],
  ['requests behind the one that is served', get('/v1/a')],
])('a socket is paused beyond a number of chunks of %s', (_what, begun) => {
  const socket = new Socket()
  const served = openOver(socket)
  receive(socket, begun)
  expect(served).toHaveLength(1)
  for (let piece = 0; piece < PIECES_MAX; piece += 1) receive(socket, 'x')
  expect(socket.isPaused()).toBe(false)
  receive(socket, 'x')
  expect(socket.isPaused()).toBe(true)
  socket.destroy()
})

test('a body in many chunks is joined, and its socket resumed', () => {
  const socket = new Socket()
  const served = openOver(socket)
  const body = 'x'.repeat(PIECES_MAX + 1)
  receive(socket, post('/v1/a', body).slice(0, -body.length))
  for (const piece of body) receive(socket, piece)
  expect(socket.isPaused()).toBe(true)
  expect(served[0]?.takeBody()?.toString()).toBe(body)
  expect(socket.isPaused()).toBe(false)
  socket.destroy()
})
