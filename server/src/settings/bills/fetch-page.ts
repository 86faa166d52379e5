import { setTimeout as sleep } from 'node:timers/promises'
import type { BillDeps } from './bill-deps.ts'

type Question = Parameters<BillDeps['fetchJson']>[0]
type Answer = Awaited<ReturnType<BillDeps['fetchJson']>>

/** Pauses before each repetition, unless the vendor names another. */
const PAUSES_MS = [1000, 5000, 15_000, 30_000]
/** An import does not wait longer for a page than vendors' limits per minute last. */
const PAUSE_MS_MAX = 60_000

type Run = {
  /** Called before each repetition. False ends the repetitions. */
  readonly goesOn: () => Promise<boolean>
  readonly signal: AbortSignal
}

/** Repeats a question that the vendor has refused for the moment, or could not answer. */
export async function fetchPage(
  { fetchJson, pause = pauseRealTime, now }: Pick<BillDeps, 'fetchJson' | 'pause' | 'now'>,
  question: Question,
  { goesOn, signal }: Run,
): Promise<Answer> {
  let answer = await fetchJson(question)
  for (const usualMs of PAUSES_MS) {
    if (!isPassing(answer)) return answer
    const waitMs = retryAfterMs(answer.retryAfter, now()) ?? usualMs
    if (waitMs > PAUSE_MS_MAX) return answer
    await pause(waitMs, signal)
    if (signal.aborted || !(await goesOn())) return answer
    answer = await fetchJson(question)
  }
  return answer
}

/** Rejects only when the signal aborts. */
const pauseRealTime = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

const isPassing = ({ status }: Answer) => status === 429 || status >= 500

/** Seconds or a date; null if the vendor names neither. */
function retryAfterMs(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
