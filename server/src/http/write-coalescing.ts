import type { Writable } from 'node:stream'

/** Up to this size one copy is cheaper than a second write. */
export const JOINED_BYTES_MAX = 64 * 1024

type Schedule = (run: () => void) => void

/**
 * Corks sockets and flushes them together: a peer process is then woken once for all its sockets,
 * and waking costs more than writing.
 */
class WriteBatch {
  readonly #schedule: Schedule
  #sockets: Writable[] = []

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** A socket already corked by another instance is flushed by that one. */
  add(socket: Writable) {
    if (socket.writableCorked > 0) return
    socket.cork()
    if (this.#sockets.push(socket) === 1) this.#schedule(this.#flush)
  }

  readonly #flush = () => {
    const sockets = this.#sockets
    this.#sockets = []
    for (const socket of sockets) socket.uncork()
  }
}

const afterCode = new WriteBatch(process.nextTick)
const afterReading = new WriteBatch(setImmediate)

/** Writes to this socket are flushed when the running code has finished. */
export const flushAfterTick = (socket: Writable) => afterCode.add(socket)

/** Writes to this socket are flushed after all readable sockets were read. */
export const flushAfterPoll = (socket: Writable) => afterReading.add(socket)

/** Bytes between two Latin-1 texts. */
export function joinLatin1(before: string, body: Buffer, after: string): Buffer {
  const bytes = Buffer.allocUnsafe(before.length + body.length + after.length)
  bytes.write(before, 0, 'latin1')
  bytes.set(body, before.length)
  if (after !== '') bytes.write(after, before.length + body.length, 'latin1')
  return bytes
}
