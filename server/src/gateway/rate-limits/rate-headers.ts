import { type LimitLine, type LimitState, LIMIT_TIMES } from './limit-store.ts'

/** Limits and their states before the request took its share. */
export type Rated = {
  readonly lines: readonly LimitLine[]
  readonly states: readonly LimitState[]
}

/** Header names are built once: looking up freshly concatenated strings is slow. */
const HEADERS = (['requests', 'tokens'] as const).map((measure) => ({
  measure,
  limitName: `x-ratelimit-limit-${measure}`,
  remainingName: `x-ratelimit-remaining-${measure}`,
  resetName: `x-ratelimit-reset-${measure}`,
}))

export const RATE_HEADERS = HEADERS.flatMap(({ limitName, remainingName, resetName }) => [
  limitName,
  remainingName,
  resetName,
])

export function afterTaking({ lines, states }: Rated): Rated {
  const taken = lines.flatMap((line, index) => {
    const state = states[index]
    if (line.isPeek === true || state === undefined) return []
    const { windowMs: resetMs } = LIMIT_TIMES
    return [{ line, state: { ...state, used: state.used + line.amount, resetMs } }]
  })
  return { lines: taken.map(({ line }) => line), states: taken.map(({ state }) => state) }
}

type HeaderSink = { readonly setHeader: (name: string, value: string) => unknown }

/**
 * Sets the `x-ratelimit-*` headers that OpenAI clients pace themselves by, for each measure from
 * the limit with the least left. `isAdmitted`: the request was admitted.
 */
export function setRateHeaders(sink: HeaderSink, rated: readonly Rated[], isAdmitted: boolean) {
  for (const { measure, limitName, remainingName, resetName } of HEADERS) {
    let minRemaining = Infinity
    let limit = 0
    let resetMs = 0
    for (const { lines, states } of rated) {
      for (let index = 0; index < lines.length; index += 1) {
        const line = lines[index]
        const state = states[index]
        if (line?.measure !== measure || state === undefined) continue
        // An admitted request has the same limit again in a line that took tokens.
        if (isAdmitted && line.isPeek === true) continue
        const used = state.used + (isAdmitted ? line.amount : 0)
        const remaining = Math.max(0, line.max - used)
        if (remaining >= minRemaining) continue
        minRemaining = remaining
        limit = line.max
        resetMs = state.resetMs
      }
    }
    if (limit === 0) continue
    sink.setHeader(limitName, String(limit))
    sink.setHeader(remainingName, String(minRemaining))
    sink.setHeader(resetName, isAdmitted ? WHOLE_WINDOW : durationText(resetMs))
  }
}

/** In OpenAI's format: `20ms`, `1s`, `6m0s`. */
export function durationText(milliseconds: number): string {
  const whole = Math.ceil(milliseconds)
  if (whole < 1000) return `${whole}ms`
  const seconds = Math.ceil(whole / 1000)
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

/** Reset time of a request that was admitted just now. */
const WHOLE_WINDOW = durationText(LIMIT_TIMES.windowMs)
