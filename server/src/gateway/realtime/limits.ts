import type { SessionLimits } from '../../upstream/open-session.ts'

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
