import type { Writable } from 'node:stream'

/** Up to this size one copy is cheaper than a second write. */
export const JOINED_BYTES_MAX = 64 * 1024

type Held = { readonly flush: () => void }
type Schedule = (run: () => void) => void

/**
 * Flushes sockets together: a peer process is then woken once for all its sockets, and waking costs
 * more than writing.
 */
class FlushBatch<Item> {
  readonly #schedule: Schedule
  readonly #flush: (item: Item) => void
  /** Two lists take turns: a new one per flush would be a tenth of what an event allocates. */
  #items: (Item | undefined)[] = []
  #others: (Item | undefined)[] = []
  #count = 0

  constructor(schedule: Schedule, flush: (item: Item) => void) {
    this.#schedule = schedule
    this.#flush = flush
  }

  add(item: Item) {
    this.#items[this.#count] = item
    this.#count += 1
    if (this.#count === 1) this.#schedule(this.#flushAll)
  }

  readonly #flushAll = () => {
    const [items, count] = [this.#items, this.#count]
    this.#items = this.#others
    this.#others = items
    this.#count = 0
    for (let at = 0; at < count; at += 1) {
      const item = items[at]
      items[at] = undefined
      if (item !== undefined) this.#flush(item)
    }
  }
}

const afterCode = new FlushBatch<Writable>(process.nextTick, (socket) => socket.uncork())
const heldAfterCode = new FlushBatch<Held>(process.nextTick, (held) => held.flush())
const afterReading = new FlushBatch<Held>(setImmediate, (held) => held.flush())

/** Writes to this socket are flushed when the running code has finished. */
export function flushAfterTick(socket: Writable) {
  if (socket.writableCorked > 0) return
  socket.cork()
  afterCode.add(socket)
}

/** Whether the next write is sent alone. Holding it costs less than a cork, which makes a list. */
export const isIdle = (socket: Writable): boolean =>
  socket.writableCorked === 0 && socket.writableLength === 0

/** Flushes what is held when the running code has finished. */
export const flushHeldAfterTick = (held: Held) => heldAfterCode.add(held)

/** Flushes what a response holds after all readable sockets were read. */
export const flushAfterPoll = (held: Held) => afterReading.add(held)

/** Bytes between two Latin-1 texts. */
export function joinLatin1(before: string, body: Buffer, after: string): Buffer {
  const bytes = Buffer.allocUnsafe(before.length + body.length + after.length)
  bytes.write(before, 0, 'latin1')
  bytes.set(body, before.length)
  if (after !== '') bytes.write(after, before.length + body.length, 'latin1')
  return bytes
}
