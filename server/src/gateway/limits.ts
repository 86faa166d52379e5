import { type Cooldown, COOLDOWN } from '../domain/channel-health.ts'
import type { SessionLimits } from '../upstream/open-session.ts'

/** What a session may take, and how long. Milliseconds and bytes; tests pass shorter ones. */
export type RealtimeLimits = SessionLimits & {
  /** In this process. */
  readonly sessionsMax: number
  /** OpenAI ends a session after an hour; every hold of the ledger outlives it. */
  readonly sessionMs: number
  /** Without a frame from either side. */
  readonly idleMs: number
  /** For the report of a response that is broken off. */
  readonly reportMs: number
  /** For what is being said when the server stops. */
  readonly stopMs: number
  /** Events of a client that are refused as they are read; one more ends its session. */
  readonly refusedEventsMax: number
  /** Responses that a client has asked for and that have not begun. */
  readonly awaitedMax: number
}

/** What the gateway allows its clients, and itself; tests pass shorter ones. */
export type GatewayLimits = {
  readonly bodyBytesMax: number
  /** The same while the caller's balance is 0: only a request to a free model can succeed. */
  readonly unfundedBodyBytesMax: number
  /** Bytes of all bodies that are being received or unpacked, in this process. */
  readonly arrivingBytesMax: number
  /** The part of it that one user may hold. */
  readonly userArrivingBytesMax: number
  /** The part of it that one client address may hold: many users may share an address. */
  readonly addressArrivingBytesMax: number
  /** For the whole body of a request to arrive. */
  readonly bodyMs: number
  /** Within each stretch of this length a body must bring `arrivingBytesPerSecondMin` on average. */
  readonly arrivalCheckMs: number
  readonly arrivingBytesPerSecondMin: number
  /** A body that announces no more bytes than this may arrive at any pace: it holds little memory. */
  readonly unpacedBytesMax: number
  /** Pieces that a body may arrive in at any size; beyond them `pieceBytesMin` on average. */
  readonly smallPiecesMax: number
  readonly pieceBytesMin: number
  /** A compressed body may unpack to this many times its size, or to `unpackedBytesFree`. */
  readonly unpackRatioMax: number
  readonly unpackedBytesFree: number
  /** Bodies unpacked at once: zlib shares its threads with files, names and password hashes. */
  readonly unpackingMax: number
  /** How long a body that is refused is still read, so that its sender sees the answer. */
  readonly lingerMs: number
  /** For all tries at all channels together; none is started after it. */
  readonly triesMs: number
  /** What an answer in one piece is thought to take until enough have come to know better. */
  readonly usualWholeMs: number
  /** How long a channel is passed over that fails; grows from the first to the most. */
  readonly cooldown: Cooldown
  /** How long usage and the end of a stream are waited for once everything has been said. */
  readonly tailMs: number
  /** How long a stream whose output shows is read on after its client has left, and anything in a server that stops. */
  readonly drainMs: number
  /** The same for answers of which only the end tells what they cost. */
  readonly unseenDrainMs: number
  /** Answers of one user that are read on at once without their clients, in this process. */
  readonly abandonedMax: number
  /** A client that takes nothing for this long is as good as gone. */
  readonly clientStallMs: number
  /** A provider that a client keeps waiting for longer, in all, may break off because of that. */
  readonly keptWaitingMs: number
  /** Within which nearly all answers are taken; only for the others both of these times are watched, from then on. */
  readonly takenAtOnceMs: number
  /** For the last bytes of an answer to be taken, however slowly. */
  readonly sendMs: number
  /** How long an answer waits for its charge to be written, and then is cut off; longer than a disk is waited for. */
  readonly closeWaitMs: number
  readonly realtime: RealtimeLimits
}

const MIB = 1024 * 1024

export const REALTIME_LIMITS: RealtimeLimits = {
  sessionsMax: 1000,
  sessionMs: 65 * 60_000,
  idleMs: 15 * 60_000,
  reportMs: 3000,
  stopMs: 10_000,
  refusedEventsMax: 32,
  awaitedMax: 4,
  // A piece of sound has 15 MiB at most.
  frameBytesMax: 16 * 1024 * 1024,
  greetingMs: 3000,
  bufferedBytesMax: 1024 * 1024,
  stallMs: 120_000,
  pingMs: 30_000,
  closeMs: 2000,
}

export const GATEWAY_LIMITS: GatewayLimits = {
  bodyBytesMax: 32 * MIB,
  // A photo or a minute of speech in base64; text of 200 000 tokens has some 800 kB.
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
  smallPiecesMax: 16_384,
  pieceBytesMin: 64,
  // Measured with gzip: source code and JSON 4 to 9, DOM snapshots 23, a history that reads one
  // file forty times 37. Bombs reach 1000.
  unpackRatioMax: 40,
  unpackedBytesFree: 256 * 1024,
  unpackingMax: 2,
  lingerMs: 1000,
  triesMs: 600_000,
  usualWholeMs: 20_000,
  cooldown: COOLDOWN,
  tailMs: 3000,
  drainMs: 30_000,
  unseenDrainMs: 600_000,
  abandonedMax: 64,
  clientStallMs: 120_000,
  keptWaitingMs: 10_000,
  takenAtOnceMs: 1000,
  sendMs: 600_000,
  closeWaitMs: 12_000,
  realtime: REALTIME_LIMITS,
}
