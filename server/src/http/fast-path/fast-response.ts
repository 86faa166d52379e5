import type { Socket } from 'node:net'
import { CHUNK_END, encodeChunkSize, LAST_CHUNK } from '../../http1/chunked-body.ts'
import { isBodiless } from '../../http1/framing.ts'
import { HeadWriter } from '../../http1/head-writer.ts'
import { writeResponseHead } from '../../http1/response-head.ts'
import { HEADER_NAME, HEADER_VALUE } from '../../http1/syntax.ts'
import type { ConstantHeaders } from '../constant-headers.ts'
import { type Listener, NO_LISTENERS, notify, withListener, withoutListener } from '../listeners.ts'
import {
  JOINED_BYTES_MAX,
  joinLatin1,
  flushAfterPoll,
  flushAfterTick,
  flushHeldAfterTick,
  isIdle,
} from '../write-coalescing.ts'
import { ChunkStage } from './chunk-stage.ts'

const NOTHING = Buffer.alloc(0)
const STATUS_MIN = 200
const STATUS_MAX = 999
/** One of the options of a `connection` header. */
const CLOSES = /(?:^|,)\s*close\s*(?:,|$)/i

/** What a response writes before a body: its head, the size of a chunk, or both. */
const before = new HeadWriter()

/** What responses hold until all sockets were read. */
const stage = new ChunkStage()

type Headers = Readonly<Record<string, string | number>>
type WriteDone = (error?: Error | null) => void
type EventName = 'close' | 'drain' | 'error'

export type ResponseConnection = {
  readonly socket: Socket
  /** Called when the head is sent. Returns the connection headers. */
  connectionLines: (closes: boolean) => string
  /** The answer has ended and was flushed. `isWhole`: its length matches the head. */
  onAnswered: (isWhole: boolean) => void
}

/** Lower-case names by their spelling in our code, which uses few. */
const checkedNames = new Map<string, string>()

/** Lower-case; null for an invalid name. */
function headerName(given: string): string | null {
  const known = checkedNames.get(given)
  if (known !== undefined) return known
  if (!HEADER_NAME.test(given)) return null
  const name = given.toLowerCase()
  checkedNames.set(given, name)
  return name
}

/** A response with the part of Node's ServerResponse interface that the gateway uses. */
export class FastResponse {
  headersSent = false
  writableEnded = false
  destroyed = false
  #onClose = NO_LISTENERS
  #onDrain = NO_LISTENERS
  readonly #connection: ResponseConnection
  readonly #headers: Record<string, string> = {}
  #constants = ''
  #status = 200
  /** The head has been written, with the first bytes or at the end. */
  #isHeadWritten = false
  #isChunked = false
  #isBodiless = false
  #isClosed = false
  /** Bytes still to be written of a body with a known length. */
  #bytesLeft = 0
  /** Where the chunks in the stage begin that go out with those of other clients; -1 for none. */
  #stagedAt = -1
  #stagedEnd = 0
  /** False once a socket took staged chunks late: a slow client gets buffers of its own. */
  #takesAtOnce = true
  /** A chunk that the stage does not take, or the end; null for none. */
  #held: Buffer | string | null = null
  /** Called when what is held was written. */
  #onHeldWritten: WriteDone | undefined

  constructor(connection: ResponseConnection) {
    this.#connection = connection
  }

  /** Reports no errors. */
  on(event: EventName, listener: Listener): this {
    if (event === 'close') this.#onClose = withListener(this.#onClose, listener)
    else if (event === 'drain') this.#onDrain = withListener(this.#onDrain, listener)
    return this
  }

  off(event: EventName, listener: Listener): this {
    if (event === 'close') this.#onClose = withoutListener(this.#onClose, listener)
    else if (event === 'drain') this.#onDrain = withoutListener(this.#onDrain, listener)
    return this
  }

  get socket(): Socket | null {
    return this.#isClosed ? null : this.#connection.socket
  }

  /** Throws on an invalid name or value, such as one with a line break. */
  setHeader(name: string, value: string | number): this {
    if (this.headersSent) throw new Error('the headers have been sent')
    const text = String(value)
    const checked = headerName(name)
    if (checked === null || !HEADER_VALUE.test(text)) {
      throw new TypeError('a header has characters that cannot be sent')
    }
    this.#headers[checked] = text
    return this
  }

  /** Adds headers that nothing else may set on this response. */
  setConstants({ lines }: ConstantHeaders): this {
    if (this.headersSent) throw new Error('the headers have been sent')
    this.#constants = lines
    return this
  }

  writeHead(status: number, headers: Headers = {}): this {
    if (this.headersSent) throw new Error('the headers have been sent')
    if (!(status >= STATUS_MIN && status <= STATUS_MAX)) throw new RangeError(`status ${status}`)
    for (const name in headers) this.setHeader(name, headers[name] ?? '')
    this.#status = status
    this.headersSent = true
    return this
  }

  /** Returns false if the client must read first; `drain` or `close` follows. */
  write(given: Buffer | string): boolean {
    if (this.destroyed || this.writableEnded) return false
    if (given.length === 0) return true
    if (this.#isChunk(given)) return this.#sendTogether(given)
    const bytes = typeof given === 'string' ? Buffer.from(given) : given
    this.#sendAtOnce()
    this.#beginHead(null)
    if (this.#isBodiless) return this.#send(NOTHING, '')
    if (this.#isChunked) before.add(encodeChunkSize(bytes.length))
    this.#count(bytes)
    return this.#send(bytes, this.#isChunked ? CHUNK_END : '')
  }

  /** As `write`, but the caller may overwrite the bytes after the call. */
  writeCopy(given: Buffer): boolean {
    return this.write(this.#isChunk(given) ? given : Buffer.from(given))
  }

  /** A chunk after the first is always copied. */
  #isChunk({ length }: Buffer | string): boolean {
    return this.#isHeadWritten && this.#isChunked && length <= JOINED_BYTES_MAX
  }

  /**
   * Chunks arrive for many clients at once, and go out after all sockets were read. Most clients
   * have one by then: holding it here costs less than a cork.
   */
  #sendTogether(given: Buffer | string): boolean {
    const { socket } = this.#connection
    const isHolding = this.#isHolding
    // A client that must read first has unsent bytes.
    if (!isHolding && isIdle(socket)) {
      this.#hold(given)
      flushAfterPoll(this)
      return true
    }
    if (this.#stagedAt !== -1 && this.#extendStaged(given)) return true
    if (isHolding && socket.writableCorked === 0) socket.cork()
    this.#sendHeld()
    return socket.write(chunkOf(given))
  }

  get #isHolding(): boolean {
    return this.#stagedAt !== -1 || this.#held !== null
  }

  #hold(given: Buffer | string) {
    const start = stage.end
    if (!this.#takesAtOnce || !stage.add(given)) {
      this.#held = chunkOf(given)
      return
    }
    stage.enter()
    this.#stagedAt = start
    this.#stagedEnd = stage.end
  }

  /** Several chunks of a client often arrive in a row. */
  #extendStaged(given: Buffer | string): boolean {
    if (stage.end !== this.#stagedEnd || !stage.add(given)) return false
    this.#stagedEnd = stage.end
    return true
  }

  #sendHeld() {
    const { socket } = this.#connection
    const [held, start, end] = [this.#held, this.#stagedAt, this.#stagedEnd]
    this.#held = null
    this.#stagedAt = -1
    if (held !== null) socket.write(held, this.#onHeldWritten)
    if (start === -1) return
    if (isIdle(socket)) this.#takesAtOnce = stage.send(socket, start, end)
    else socket.write(stage.copy(start, end))
    stage.leave()
  }

  /** What is written now is sent when the running code has finished. */
  #sendAtOnce() {
    flushAfterTick(this.#connection.socket)
    this.#sendHeld()
  }

  end(bytes: Buffer | string = NOTHING): this {
    if (this.destroyed || this.writableEnded) return this
    const given = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    this.#beginHead(given.length)
    const body = this.#isBodiless ? NOTHING : given
    this.#count(body)
    this.writableEnded = true
    const isLastChunk = this.#isChunked && body.length > 0
    if (isLastChunk) before.add(encodeChunkSize(body.length))
    else if (this.#isChunked) before.add(LAST_CHUNK)
    this.#sendEnd(body, isLastChunk ? CHUNK_END + LAST_CHUNK : '')
    return this
  }

  #sendEnd(body: Buffer, after: string) {
    const size = before.length + body.length + after.length
    const isSmall = size > 0 && size <= JOINED_BYTES_MAX
    if (isSmall && !this.#isHolding && isIdle(this.#connection.socket)) {
      this.#held = before.join(body, after)
      this.#onHeldWritten = this.#finish
      return flushHeldAfterTick(this)
    }
    this.#sendAtOnce()
    this.#send(body, after, this.#finish)
  }

  /** Cuts the answer off and destroys the connection; `close` follows. */
  destroy(): this {
    if (this.destroyed) return this
    this.destroyed = true
    const { socket } = this.#connection
    this.flush()
    socket.destroy()
    return this
  }

  /** Sends what was written so far. */
  flush() {
    this.#sendHeld()
    this.#connection.socket.uncork()
  }

  drained() {
    notify(this.#onDrain)
  }

  closed() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#held = null
    if (this.#stagedAt !== -1) stage.leave()
    this.#stagedAt = -1
    this.destroyed = true
    notify(this.#onClose)
  }

  /** A broken connection is reported by its own `close` event. */
  readonly #finish = (error?: Error | null) => {
    if (error || this.destroyed) return
    this.closed()
    this.#connection.onAnswered(this.#bytesLeft === 0)
  }

  /** Writes the head, unless sent; `wholeBytes` is the length of an answer sent at once. */
  #beginHead(wholeBytes: number | null) {
    if (this.#isHeadWritten) return before.begin()
    this.#isHeadWritten = true
    this.headersSent = true
    const status = this.#status
    const { 'content-length': announced, connection } = this.#headers
    const length = announced === undefined ? wholeBytes : Number(announced)
    this.#isBodiless = isBodiless(status)
    this.#isChunked = length === null && !this.#isBodiless
    this.#bytesLeft = this.#isBodiless ? 0 : (length ?? 0)
    const closes = CLOSES.test(connection ?? '')
    const connectionLines = this.#connection.connectionLines(closes)
    const lines = [this.#constants, dateLine(Date.now()), connectionLines]
    writeResponseHead(before, { status, headers: this.#headers, lines, length })
  }

  /** Bytes beyond the announced length would be read as the next answer. */
  #count(bytes: Buffer) {
    if (this.#isChunked) return
    if (bytes.length > this.#bytesLeft) {
      this.destroy()
      throw new Error('an answer is longer than it said')
    }
    this.#bytesLeft -= bytes.length
  }

  /** Sends what was written before the body, the body and what follows. */
  #send(body: Buffer, after: string, done?: WriteDone) {
    const { socket } = this.#connection
    const size = before.length + body.length + after.length
    if (size === 0 && socket.writableLength === 0) {
      process.nextTick(() => done?.())
      return true
    }
    if (size === body.length) return socket.write(body, done)
    if (size <= JOINED_BYTES_MAX) return socket.write(before.join(body, after), done)
    socket.write(before.join())
    const hasRoom = socket.write(body, after === '' ? done : undefined)
    if (after !== '') socket.write(after, 'latin1', done)
    return hasRoom
  }
}

/** Text becomes bytes only once, in the socket. */
function chunkOf(given: Buffer | string): Buffer | string {
  if (typeof given !== 'string') return joinLatin1(encodeChunkSize(given.length), given, CHUNK_END)
  return encodeChunkSize(Buffer.byteLength(given)) + given + CHUNK_END
}

const SECOND_MS = 1000

let dateSecond = -1
let date = ''

/** The serialized `Date` header. Cached for one second. */
function dateLine(nowMs: number): string {
  const second = Math.floor(nowMs / SECOND_MS)
  if (second === dateSecond) return date
  dateSecond = second
  date = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  return date
}
