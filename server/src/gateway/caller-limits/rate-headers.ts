import { type LimitLine, type LimitState, LIMIT_TIMES } from './limit-store.ts'

type Shown = { readonly limit: number; readonly remaining: number; readonly resetMs: number }

/** Their names are made once: a text that was put together anew is dear to look up. */
const SHOWN = (['requests', 'tokens'] as const).map((measure) => ({
  measure,
  limitName: `x-ratelimit-limit-${measure}`,
  remainingName: `x-ratelimit-remaining-${measure}`,
  resetName: `x-ratelimit-reset-${measure}`,
}))

export const RATE_HEADERS = SHOWN.flatMap(({ limitName, remainingName, resetName }) => [
  limitName,
  remainingName,
  resetName,
])

/** The headers by which clients of this dialect pace themselves: of each measure the limit with least left. */
export function rateHeaders(
  lines: readonly LimitLine[],
  states: readonly LimitState[],
  isTaken: boolean,
): [name: string, value: string][] {
  const headers: [name: string, value: string][] = []
  for (const { measure, limitName, remainingName, resetName } of SHOWN) {
    let tightest: Shown | null = null
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index]
      const state = states[index]
      if (line?.measure !== measure || state === undefined) continue
      const used = state.used + (isTaken ? line.amount : 0)
      const remaining = Math.max(0, line.most - used)
      if (tightest !== null && tightest.remaining <= remaining) continue
      const resetMs = isTaken ? LIMIT_TIMES.windowMs : state.resetMs
      tightest = { limit: line.most, remaining, resetMs }
    }
    if (tightest === null) continue
    headers.push(
      [limitName, String(tightest.limit)],
      [remainingName, String(tightest.remaining)],
      [resetName, durationText(tightest.resetMs)],
    )
  }
  return headers
}

/** As the dialect writes it: `20ms`, `1s`, `6m0s`. */
export function durationText(milliseconds: number): string {
  const whole = Math.ceil(milliseconds)
  if (whole < 1000) return `${whole}ms`
  const seconds = Math.ceil(whole / 1000)
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
