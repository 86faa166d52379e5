import { setTimeout as pause } from 'node:timers/promises'

/** Growing pauses, about two seconds in all. */
export const SHORT_PAUSES_MS = [20, 80, 200, 500, 1200]

/** About an hour. */
export const LONG_PAUSES_MS = [1000, 5000, ...Array.from({ length: 120 }, () => 30_000)]

/** Runs again after each pause while it fails; throws what the last try threw. */
export async function retry<Result>(
  run: () => Promise<Result>,
  pausesMs: readonly number[],
): Promise<Result> {
  for (const milliseconds of pausesMs) {
    try {
      return await run()
    } catch {
      await pause(milliseconds, undefined, { ref: false })
    }
  }
  return run()
}
