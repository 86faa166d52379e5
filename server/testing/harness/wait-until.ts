import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 10
/** Shorter than a test's time limit. On a busy machine, a step of 50 ms may take seconds. */
const DEADLINE_MS = 25_000

/** Polls until `holds` returns true; throws after the deadline. */
export async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come to be so in time')
    await pause(POLL_MS)
  }
}
