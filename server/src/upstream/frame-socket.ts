import { WebSocket } from 'ws'
import type { Clock, Timer } from '../clock.ts'
import { bytesOf } from './web-socket-transfer.ts'

export type FrameLimits = {
  /** Unsent bytes above which `send` waits until half of them are left. */
  readonly bufferedBytesMax: number
  /** Longest such wait; after it the connection is terminated. */
  readonly stallMs: number
  /** Ping interval. A peer that has not answered by the next ping is terminated. */
  readonly pingMs: number
  /** Wait for the peer's close frame. */
  readonly closeMs: number
}

export type FrameReader = {
  /**
   * The next frame is delivered after this resolves. Null for a binary frame; text is valid UTF-8.
   */
  readonly frame: (text: Buffer | null) => void | Promise<void>
  /** Called once, after the last frame. */
  readonly closed: (code: number) => void
  /** Called with an error that `frame` threw. */
  readonly failed: (error: unknown) => void
}

/** One side of a realtime session: frames in order, one at a time, with backpressure both ways. */
export class FrameSocket {
  readonly #socket: WebSocket
  readonly #limits: FrameLimits
  readonly #clock: Clock
  readonly #pings: Timer
  #reader: FrameReader | null = null
  /** Frames received but not delivered, at most what one read of the socket contains. */
  #waiting: (Buffer | null)[] = []
  #closeCode: number | null = null
  #isReading = false
  #isAlive = true
  #isPaused = false
  #drained: (() => void)[] = []
  #onFirst: (() => void) | null = null

  constructor(socket: WebSocket, limits: FrameLimits, clock: Clock) {
    this.#socket = socket
    this.#limits = limits
    this.#clock = clock
    socket.on('message', (data, isBinary) => {
      this.#isAlive = true
      this.#waiting.push(isBinary ? null : bytesOf(data))
      this.#onFirst?.()
      this.#deliverWaiting()
    })
    socket.on('pong', () => (this.#isAlive = true))
    // The `close` event follows.
    socket.on('error', () => {})
    socket.on('close', (code) => {
      this.#pings.close()
      this.#closeCode = code
      this.#onFirst?.()
      this.#resolveDrained()
      this.#deliverWaiting()
    })
    this.#pings = clock.after(limits.pingMs, () => {
      this.#ping()
      this.#pings.refresh()
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** Waits for the first frame and leaves it in the queue. */
  async awaitFirst(
    timeoutMs: number,
  ): Promise<{ type: 'frame'; text: Buffer } | { type: 'silent' | 'closed' }> {
    if (this.#waiting.length === 0 && this.#closeCode === null) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#onFirst = resolve
      const timer = this.#clock.after(timeoutMs, resolve)
      await promise
      timer.close()
      this.#onFirst = null
    }
    const [text] = this.#waiting
    if (text !== undefined) return { type: 'frame', text: text ?? Buffer.alloc(0) }
    return { type: this.#closeCode === null ? 'silent' : 'closed' }
  }

  read(reader: FrameReader) {
    this.#reader = reader
    this.#deliverWaiting()
  }

  /** Resolves when the peer has read enough; undefined if there is nothing to wait for. */
  send(text: string | Buffer): Promise<void> | undefined {
    if (!this.isOpen) return undefined
    this.#socket.send(text, { binary: false }, () => {
      if (this.#socket.bufferedAmount <= this.#limits.bufferedBytesMax / 2) this.#resolveDrained()
    })
    if (this.#socket.bufferedAmount <= this.#limits.bufferedBytesMax) return undefined
    return new Promise((resolve) => {
      const stall = this.#clock.after(this.#limits.stallMs, () => this.terminate())
      this.#drained.push(() => {
        stall.close()
        resolve()
      })
    })
  }

  /** Sends a close frame and resolves when the connection is closed. */
  close(code: number, reason = ''): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState === WebSocket.CLOSED) return resolve()
      const timer = this.#clock.after(this.#limits.closeMs, () => this.#socket.terminate())
      this.#socket.once('close', () => {
        timer.close()
        resolve()
      })
      // A paused socket would never receive the peer's close frame.
      this.#waiting = []
      this.#reader = IGNORING_READER
      this.#resume()
      this.#socket.close(code, reason)
    })
  }

  terminate() {
    this.#socket.terminate()
  }

  #deliverWaiting() {
    const reader = this.#reader
    if (this.#isReading) return
    if (reader === null) return this.#pause()
    while (this.#waiting.length > 0) {
      const frame = this.#waiting.shift() ?? null
      const reading = this.#deliver(reader, frame)
      if (reading !== undefined) {
        this.#pause()
        this.#isReading = true
        void reading.then(() => {
          this.#isReading = false
          this.#deliverWaiting()
        })
        return
      }
    }
    this.#resume()
    if (this.#closeCode === null) return
    this.#reader = IGNORING_READER
    reader.closed(this.#closeCode)
  }

  #deliver(reader: FrameReader, frame: Buffer | null): Promise<void> | undefined {
    try {
      return reader.frame(frame)?.catch((error: unknown) => reader.failed(error))
    } catch (error) {
      reader.failed(error)
      return undefined
    }
  }

  #pause() {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#socket.pause()
  }

  #resume() {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#isAlive = true
    this.#socket.resume()
  }

  #resolveDrained() {
    const drained = this.#drained
    this.#drained = []
    for (const resolve of drained) resolve()
  }

  /** A pong cannot be received while reading is paused. */
  #ping() {
    if (this.#isPaused || !this.isOpen) return
    if (!this.#isAlive) return this.terminate()
    this.#isAlive = false
    this.#socket.ping()
  }
}

const IGNORING_READER: FrameReader = { frame: () => {}, closed: () => {}, failed: () => {} }
