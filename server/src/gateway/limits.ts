import { type Cooldown, COOLDOWN } from '../domain/channel-health.ts'
import type { FrameLimits } from '../upstream/frame-socket.ts'
import type { SessionLimits } from '../upstream/open-session.ts'

/** Limits of a session in milliseconds and bytes; tests pass smaller values. */
export type RealtimeLimits = SessionLimits & {
  /** Per process. */
  readonly sessionsMax: number
  /** Longer than OpenAI's session limit of one hour, and shorter than the lifetime of a hold. */
  readonly sessionMs: number
  /** Time without a frame from either side. */
  readonly idleMs: number
  /** Wait for the usage report of a cancelled response. */
  readonly reportMs: number
  /** Time for running responses to finish on shutdown. */
  readonly stopMs: number
  /** Events of a client that may be refused; the next refused event ends the session. */
  readonly refusedEventsMax: number
  /** Responses requested by a client that have not begun. */
  readonly pendingResponsesMax: number
}

/** Limits on clients and on the gateway itself. Tests pass shorter times. */
export type GatewayLimits = {
  readonly bodyBytesMax: number
  /** `bodyBytesMax` for a balance of 0, when only a request to a free model can succeed. */
  readonly unfundedBodyBytesMax: number
  /** Total bytes of bodies being received or decompressed, in this process. */
  readonly arrivingBytesMax: number
  /** Share of `arrivingBytesMax` that one user may take. */
  readonly userArrivingBytesMax: number
  /**
   * Share of `arrivingBytesMax` that one client address may take. Many users may share an address.
   */
  readonly addressArrivingBytesMax: number
  /** Time for the whole body to arrive. */
  readonly bodyMs: number
  /** In each interval of this length a body must average `arrivingBytesPerSecondMin`. */
  readonly arrivalCheckMs: number
  readonly arrivingBytesPerSecondMin: number
  /**
   * A body that announces at most this many bytes may arrive at any pace: it takes little memory.
   */
  readonly unpacedBytesMax: number
  /** After this many chunks, a body must average `chunkBytesMin` bytes per chunk. */
  readonly smallChunksMax: number
  readonly chunkBytesMin: number
  /**
   * A compressed body may decompress to this many times its size, or to `decompressedBytesFree`
   * bytes.
   */
  readonly decompressionRatioMax: number
  /** The same for encodings with windows of megabytes. */
  readonly wideDecompressionRatioMax: number
  readonly decompressedBytesFree: number
  /** Bodies decompressed at once. zlib shares its threads with files, DNS and password hashing. */
  readonly decompressionsMax: number
  /**
   * How long the body of a rejected request is still read, so that its sender sees the response.
   */
  readonly lingerMs: number
  /** Deadline for all attempts of a request together. No attempt starts after it. */
  readonly attemptsMs: number
  /** Assumed duration of a non-streamed answer until enough of them were measured. */
  readonly typicalAnswerMs: number
  /** Cooldown of a failing channel; grows from the shortest to the longest. */
  readonly cooldown: Cooldown
  /** Wait for usage and the end of a stream after all choices have finished. */
  readonly tailMs: number
  /**
   * Drain time of a stream with visible output after its client disconnected. Limits every drain
   * while the server stops.
   */
  readonly drainMs: number
  /** Drain time of answers whose cost is known only at their end. */
  readonly fullDrainMs: number
  /** Answers of one user drained at once, in this process. */
  readonly userDrainsMax: number
  /** A client that accepts no bytes for this long is disconnected. */
  readonly clientStallMs: number
  /**
   * After the client has stalled a stream for this long in total, a cut connection is not blamed on
   * the provider.
   */
  readonly clientStallTotalMs: number
  /**
   * Nearly all responses are accepted within this time. `sendMs` and `clientStallMs` are watched
   * only afterwards.
   */
  readonly unwatchedSendMs: number
  /** Time for a client to accept the last bytes of a response, at any speed. */
  readonly sendMs: number
  /**
   * How long a response waits for its charge to be written before it is cut off. Longer than the
   * wait for a slow disk.
   */
  readonly settleWaitMs: number
  readonly realtime: RealtimeLimits
  readonly responsesSocket: ResponsesSocketLimits
}

/** Limits on WebSocket connections to the Responses API. */
export type ResponsesSocketLimits = FrameLimits & {
  readonly frameBytesMax: number
  /** In this process. */
  readonly connectionsMax: number
  readonly userConnectionsMax: number
  /** Responses in progress on one connection. */
  readonly lanesMax: number
  /** A connection without a response for this long is closed. */
  readonly idleMs: number
  /** After this time a connection takes no more responses. */
  readonly lifeMs: number
  /** Bytes of conversations that all connections keep. */
  readonly keptBytesMax: number
}

const MIB = 1024 * 1024

export const REALTIME_LIMITS: RealtimeLimits = {
  sessionsMax: 1000,
  sessionMs: 65 * 60_000,
  idleMs: 15 * 60_000,
  reportMs: 3000,
  stopMs: 10_000,
  refusedEventsMax: 32,
  pendingResponsesMax: 4,
  // An audio append has at most 15 MiB.
  frameBytesMax: 16 * 1024 * 1024,
  greetingMs: 3000,
  bufferedBytesMax: 1024 * 1024,
  stallMs: 120_000,
  pingMs: 30_000,
  closeMs: 2000,
}

export const GATEWAY_LIMITS: GatewayLimits = {
  bodyBytesMax: 32 * MIB,
  // A photo or a minute of speech in base64; 200 000 tokens of text take about 800 kB.
  unfundedBodyBytesMax: 8 * MIB,
  arrivingBytesMax: 512 * MIB,
  // Eight transcriptions of the largest file at once.
  userArrivingBytesMax: 208 * MIB,
  addressArrivingBytesMax: 256 * MIB,
  bodyMs: 120_000,
  arrivalCheckMs: 10_000,
  // Below the uplink of EDGE (some 10 to 20 kB/s).
  arrivingBytesPerSecondMin: 8 * 1024,
  unpacedBytesMax: 256 * 1024,
  smallChunksMax: 16_384,
  chunkBytesMin: 64,
  // Gzip ratios measured: source code and JSON 4 to 9, DOM snapshots 23, a chat history that reads
  // one file forty times 37. Decompression bombs reach 1000.
  decompressionRatioMax: 40,
  // Zstandard and Brotli look back megabytes, so they shrink repeated files far more than gzip.
  wideDecompressionRatioMax: 1000,
  decompressedBytesFree: 256 * 1024,
  decompressionsMax: 2,
  lingerMs: 1000,
  attemptsMs: 600_000,
  typicalAnswerMs: 20_000,
  cooldown: COOLDOWN,
  tailMs: 3000,
  drainMs: 30_000,
  fullDrainMs: 600_000,
  userDrainsMax: 64,
  clientStallMs: 120_000,
  clientStallTotalMs: 10_000,
  unwatchedSendMs: 1000,
  sendMs: 600_000,
  settleWaitMs: 12_000,
  realtime: REALTIME_LIMITS,
  responsesSocket: {
    frameBytesMax: 16 * MIB,
    connectionsMax: 2000,
    userConnectionsMax: 100,
    lanesMax: 8,
    idleMs: 15 * 60_000,
    lifeMs: 60 * 60_000,
    keptBytesMax: 256 * MIB,
    bufferedBytesMax: MIB,
    stallMs: 120_000,
    pingMs: 30_000,
    closeMs: 2000,
  },
}
