import { type LimitLine, type LimitState, LIMIT_TIMES } from './limit-store.ts'

export const RATE_HEADERS = (['requests', 'tokens'] as const).flatMap((measure) =>
  (['limit', 'remaining', 'reset'] as const).map((name) => `x-ratelimit-${name}-${measure}`),
)

/** The headers by which clients of this dialect pace themselves: of each measure the limit with least left. */
export function rateHeaders(
  lines: readonly LimitLine[],
  states: readonly LimitState[],
  isTaken: boolean,
): [name: string, value: string][] {
  return (['requests', 'tokens'] as const).flatMap((measure) => {
    const shown = lines.flatMap((line, index) => {
      const state = states[index]
      if (line.measure !== measure || state === undefined) return []
      const used = state.used + (isTaken ? line.amount : 0)
      const resetMs = isTaken ? LIMIT_TIMES.windowMs : state.resetMs
      return [{ limit: line.most, remaining: Math.max(0, line.most - used), resetMs }]
    })
    const tightest = shown.toSorted((a, b) => a.remaining - b.remaining)[0]
    if (tightest === undefined) return []
    return [
      [`x-ratelimit-limit-${measure}`, String(tightest.limit)],
      [`x-ratelimit-remaining-${measure}`, String(tightest.remaining)],
      [`x-ratelimit-reset-${measure}`, durationText(tightest.resetMs)],
    ]
  })
}

/** As the dialect writes it: `20ms`, `1s`, `6m0s`. */
export function durationText(milliseconds: number): string {
  const whole = Math.ceil(milliseconds)
  if (whole < 1000) return `${whole}ms`
  const seconds = Math.ceil(whole / 1000)
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
