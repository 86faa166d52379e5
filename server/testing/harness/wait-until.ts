import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 10
const DEADLINE_MS = 10_000

/** Polls until `holds` returns true; throws after ten seconds. */
export async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come to be so in time')
    await pause(POLL_MS)
  }
}
