import type { Writable } from 'node:stream'

/** Up to so many bytes a copy is cheaper than a second piece to write. */
export const JOINED_BYTES_MAX = 64 * 1024

type Schedule = (run: () => void) => void

/**
 * Keeps what is written to sockets, and sends it one after the other: a process on the other side is woken once for all
 * of it, and waking takes longer than writing.
 */
class Departure {
  readonly #schedule: Schedule
  #waiting: Writable[] = []

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** A socket that waits for another departure goes with that. */
  add(socket: Writable) {
    if (socket.writableCorked > 0) return
    socket.cork()
    if (this.#waiting.push(socket) === 1) this.#schedule(this.#send)
  }

  readonly #send = () => {
    const sockets = this.#waiting
    this.#waiting = []
    for (const socket of sockets) socket.uncork()
  }
}

const afterCode = new Departure(process.nextTick)
const afterReading = new Departure(setImmediate)

/** What is written to this socket from now on goes out when the code that is running has come to its end. */
export const writeTogether = (socket: Writable) => afterCode.add(socket)

/** It goes out when all sockets have been read that had something to read. */
export const writeAfterReading = (socket: Writable) => afterReading.add(socket)
