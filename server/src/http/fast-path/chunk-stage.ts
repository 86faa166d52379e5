import type { Socket } from 'node:net'
import { CHUNK_END, encodeChunkSize } from '../../http1/chunked-body.ts'
import { ScratchBytes } from '../../http1/scratch-bytes.ts'

const STAGE_BYTES = 64 * 1024

/**
 * Chunks of all responses that wait for the same flush. They share a buffer that is used again, and
 * so do the bytes that are written to sockets: separate buffers would be a third of what an event
 * allocates.
 */
export class ChunkStage {
  readonly #bytes = Buffer.allocUnsafeSlow(STAGE_BYTES)
  #length = 0
  /** Responses with chunks here. The stage is used again when there are none. */
  #responses = 0
  #outgoing = new ScratchBytes()

  /** Where the last chunk ends, and the next begins. */
  get end(): number {
    return this.#length
  }

  /** Adds a chunk with these data. False if it does not fit. */
  add(data: Buffer | string): boolean {
    const isText = typeof data === 'string'
    const size = isText ? Buffer.byteLength(data) : data.length
    const sizeLine = encodeChunkSize(size)
    const dataStart = this.#length + sizeLine.length
    if (dataStart + size + CHUNK_END.length > STAGE_BYTES) return false
    this.#put(sizeLine, this.#length)
    if (isText) this.#bytes.write(data, dataStart)
    else data.copy(this.#bytes, dataStart)
    this.#length = this.#put(CHUNK_END, dataStart + size)
    return true
  }

  /** For short texts a loop is faster than a call of Node.js. */
  #put(text: string, start: number): number {
    for (let at = 0; at < text.length; at += 1) this.#bytes[start + at] = text.charCodeAt(at)
    return start + text.length
  }

  /** The first chunk of a response was added. */
  enter() {
    this.#responses += 1
  }

  /** The chunks of a response were sent or dropped. */
  leave() {
    this.#responses -= 1
    if (this.#responses === 0) this.#length = 0
  }

  /** Writes chunks to an idle socket. False if the socket did not take them at once. */
  send(socket: Socket, start: number, end: number): boolean {
    const bytes = this.#outgoing.copyOf(this.#bytes, start, end)
    socket.write(bytes ?? this.copy(start, end))
    if (socket.writableLength === 0) return true
    // The socket reads these bytes later.
    if (bytes !== null) this.#outgoing = new ScratchBytes()
    return false
  }

  /** Chunks for a socket that takes them later. */
  copy(start: number, end: number): Buffer {
    return Buffer.from(this.#bytes.subarray(start, end))
  }
}
