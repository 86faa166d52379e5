export type Measure = 'requests' | 'tokens' | 'concurrent'

export type LimitedCaller = {
  readonly user: number
  readonly token: number
  readonly group: string
}

/** A caller before routing; `group` is null while several groups could serve the request. */
export type ArrivingCaller = Omit<LimitedCaller, 'group'> & { readonly group: string | null }

export type LimitLine = {
  readonly scope: keyof LimitedCaller
  /** User id, token id or group name, depending on `scope`. */
  readonly id: number | string
  readonly measure: Measure
  readonly max: number
  /** For tokens an estimate until the request ends, otherwise 1. */
  readonly amount: number
  /** The limit must have room for `amount`, but nothing is taken. */
  readonly isPeek?: boolean
}

/** State of a limit before the request took its share. */
export type LimitState = {
  readonly used: number
  /** Time until this request fits; 0 if it fits now. */
  readonly waitMs: number
  /** Time until no past use counts any more. */
  readonly resetMs: number
}

/** What a request has taken. Call exactly one of the methods, once. */
export type Taking = {
  /** `tokens` is the final count. The request itself stays counted. */
  readonly finish: (tokens: number) => void
  readonly undo: () => void
}

export type Verdict = {
  /** One per line, in the same order. */
  readonly states: readonly LimitState[]
  /** Null if some limit had no room. */
  readonly taking: Taking | null
}

export type LimitStore = {
  /** Takes from all limits or from none. Never throws. */
  take: (requestId: string, lines: readonly LimitLine[]) => Verdict | Promise<Verdict>
  close: () => Promise<void>
}

/** In milliseconds; tests pass shorter times. */
export type LimitTimes = {
  /** The limit holds for every window of this length. */
  readonly windowMs: number
  /** Uses within one slice expire together. */
  readonly sliceMs: number
  /**
   * Suggested wait at a full concurrency limit, because the end of a running request is unknown.
   */
  readonly fullWaitMs: number
  /** A concurrency place expires after this time unless renewed, for example when its node died. */
  readonly placeMs: number
  readonly renewMs: number
  /** Longest time that a request waits for Redis. */
  readonly answerMs: number
  /** Retry interval while Redis is unreachable; one request per interval tries. */
  readonly awayMs: number
}

export const LIMIT_TIMES: LimitTimes = {
  windowMs: 60_000,
  sliceMs: 3000,
  fullWaitMs: 1000,
  placeMs: 30_000,
  renewMs: 10_000,
  answerMs: 250,
  awayMs: 1000,
}
