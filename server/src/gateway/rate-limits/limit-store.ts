export type Measure = 'requests' | 'tokens' | 'concurrent'

/** Whose request it is, and which group serves it. */
export type LimitedCaller = {
  readonly user: number
  readonly token: number
  readonly group: string
}

/** The same before it is known which of several groups serves the request; the group is null then. */
export type ArrivingCaller = Omit<LimitedCaller, 'group'> & { readonly group: string | null }

/** One limit that a request comes under, and what it takes of it. */
export type LimitLine = {
  readonly scope: keyof LimitedCaller
  /** Which of them: the number of a user or a token, the name of a group. */
  readonly id: number | string
  readonly measure: Measure
  readonly most: number
  /** Of tokens an estimate until the request has ended, else 1. */
  readonly amount: number
  /** The limit must have room for `amount`, of which nothing is taken yet. */
  readonly isPeek?: boolean
}

/** How a limit stood when a request asked for its share. */
export type LimitState = {
  readonly used: number
  /** Until there is room for this request; 0 when there is. */
  readonly waitMs: number
  /** Until nothing of what was used counts any more. */
  readonly resetMs: number
}

/** What a request has taken of its limits; either method ends it, and is called once. */
export type Taking = {
  /** `tokens` are those the request had; that there was a request still counts. */
  readonly finish: (tokens: number) => void
  /** Leaves nothing counted. */
  readonly undo: () => void
}

export type Verdict = {
  /** One for each line, in their order. */
  readonly states: readonly LimitState[]
  /** Null when some limit had no room. */
  readonly taking: Taking | null
}

/** Counts what callers use. */
export type LimitStore = {
  /** Takes of all limits, or of none. Never throws. */
  take: (requestId: string, lines: readonly LimitLine[]) => Verdict | Promise<Verdict>
  close: () => Promise<void>
}

/** Milliseconds; tests pass shorter ones. */
export type LimitTimes = {
  /** No stretch as long as this holds more than a limit allows. */
  readonly windowMs: number
  /** What came within so long is forgotten together. */
  readonly sliceMs: number
  /** How long a caller waits whose requests at once are too many: nobody knows when one ends. */
  readonly fullWaitMs: number
  /** A place that is not renewed, since its node died, is given back after so long. */
  readonly placeMs: number
  readonly renewMs: number
  /** Longer than that a request does not wait for Redis. */
  readonly answerMs: number
  /** Redis that is away is asked again after so long, by one request. */
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
