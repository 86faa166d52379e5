import {
  type AnswerObserver,
  type ChatStream,
  outputText,
  type StreamEvent,
  StreamObserver,
} from '@tollgate/relay'

/** A piece of an upstream's stream: bytes, or events that a codec has decoded. */
export type StreamChunk = Buffer | readonly StreamEvent[]

/**
 * What a client gets of a stream: bytes that pass through, or events to be encoded. Bytes without a
 * list are one event that only adds a piece of output.
 */
export type StreamOutput = Buffer | OutputLists

type OutputLists = {
  readonly blocks: readonly Buffer[]
  readonly events: readonly StreamEvent[]
}

/** How a stream leaves: as the bytes it came in, or read as events. */
export type StreamInput =
  | { readonly type: 'bytes'; readonly stream: PassingStream }
  | { readonly type: 'events'; readonly stream: ChatStream }

type PassingStream = {
  /**
   * Whether a chunk passes as it is, because it is one event that only has another delta. Keeps no
   * bytes of such a chunk.
   */
  readonly isDelta?: (chunk: Buffer) => boolean
  readonly push: (chunk: Buffer) => readonly Buffer[]
  readonly end: () => readonly Buffer[]
}

const NO_BLOCKS: readonly Buffer[] = []
const NO_EVENTS: readonly StreamEvent[] = []
/** An event as a chunk of chat completions is at least this long. */
const EVENT_BYTES = 200

const passed = (blocks: readonly Buffer[]): OutputLists => ({ blocks, events: NO_EVENTS })
const read = (events: readonly StreamEvent[]): OutputLists => ({ blocks: NO_BLOCKS, events })

export const NO_OUTPUT: OutputLists = { blocks: NO_BLOCKS, events: NO_EVENTS }

/** Turns the chunks of one stream into output, and lets its observer know them. */
export class StreamReader {
  readonly #observer: AnswerObserver
  readonly #input: StreamInput

  constructor(observer: AnswerObserver, input: StreamInput) {
    this.#observer = observer
    this.#input = input
  }

  push(chunk: StreamChunk): StreamOutput {
    const { type, stream } = this.#input
    if (!Buffer.isBuffer(chunk)) return this.#observe(chunk)
    // The usual case: lists for each token would allocate more than its bytes.
    if (type === 'events') return read(stream.read(chunk))
    return stream.isDelta?.(chunk) === true ? chunk : passed(stream.push(chunk))
  }

  /** The output of a chunk that only has another delta; null for others. Keeps no bytes. */
  readDelta(chunk: Buffer): StreamOutput | null {
    const { type, stream } = this.#input
    if (stream.isDelta?.(chunk) !== true) return null
    return type === 'events' ? read(stream.deltaEvents(chunk)) : chunk
  }

  end(): StreamOutput {
    const { type, stream } = this.#input
    return type === 'bytes' ? passed(stream.end()) : read(stream.readEnd())
  }

  #observe(events: readonly StreamEvent[]): StreamOutput {
    const observer = this.#observer
    if (!(observer instanceof StreamObserver)) return read(NO_EVENTS)
    const [first] = events
    // The usual case needs no other list.
    if (first !== undefined && events.length === 1) {
      return observer.observe(first) ? read(events) : NO_OUTPUT
    }
    return read(events.filter((event) => observer.observe(event)))
  }
}

/** The part that fits into `bytes`, and the rest; null for no rest. At least one event fits. */
export function splitChunk(chunk: StreamChunk, bytes: number): [StreamChunk, StreamChunk | null] {
  if (Buffer.isBuffer(chunk)) {
    const isWhole = bytes >= chunk.length
    return isWhole ? [chunk, null] : [chunk.subarray(0, bytes), chunk.subarray(bytes)]
  }
  let size = 0
  const end = chunk.findIndex((event, at) => {
    size += sizeOf(event)
    return at > 0 && size > bytes
  })
  return end === -1 ? [chunk, null] : [chunk.slice(0, end), chunk.slice(end)]
}

export function sizeOfChunk(chunk: StreamChunk): number {
  if (Buffer.isBuffer(chunk)) return chunk.length
  let size = 0
  for (const event of chunk) size += sizeOf(event)
  return size
}

export const isNothing = (output: StreamOutput): boolean =>
  !Buffer.isBuffer(output) && output.blocks.length === 0 && output.events.length === 0

export function sizeOfOutput(output: StreamOutput): number {
  if (Buffer.isBuffer(output)) return output.length
  return output.blocks.reduce((sum, { length }) => sum + length, sizeOfChunk(output.events))
}

const sizeOf = (event: StreamEvent): number => EVENT_BYTES + outputText(event).length

export const joinOutput = (outputs: readonly StreamOutput[]): StreamOutput => ({
  blocks: outputs.flatMap((output) => (Buffer.isBuffer(output) ? [output] : output.blocks)),
  events: outputs.flatMap((output) => (Buffer.isBuffer(output) ? [] : output.events)),
})
