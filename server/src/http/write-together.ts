import type { Writable } from 'node:stream'

/** Up to so many bytes a copy is cheaper than a second piece to write. */
export const JOINED_BYTES_MAX = 64 * 1024

let waiting: Writable[] = []

/**
 * What is written to this socket from now on goes out when the code that is running has come to its end, beside what was
 * written to others meanwhile: a process on the other side is woken once for all of it, and waking takes longer than writing.
 */
export function writeTogether(socket: Writable) {
  if (socket.writableCorked > 0) return
  socket.cork()
  if (waiting.push(socket) === 1) process.nextTick(sendAll)
}

function sendAll() {
  const sockets = waiting
  waiting = []
  for (const socket of sockets) socket.uncork()
}
