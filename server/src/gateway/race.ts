import type { AttemptOutcome } from './attempt.ts'
import type { Tries, Try } from './tries.ts'

export type Spoken = {
  readonly one: Try
  readonly outcome: Exclude<AttemptOutcome, { type: 'failed' | 'expired' | 'cancelled' | 'unsent' }>
}

/**
 * What the first channel to speak said; null when every one that was asked has failed. A channel that is
 * late is not given up: the next one is asked beside it, and whoever is slower is closed.
 */
export async function firstToSpeak(tries: Tries, first: Try): Promise<Spoken | null> {
  let running: readonly Try[] = [first]
  while (running.length > 0) {
    running = await withOneBeside(tries, running)
    const one = await firstToEnd(running)
    const outcome = await one.outcome
    const others = running.filter((other) => other !== one)
    if (outcome.type === 'failed') tries.failed(one, outcome)
    else if (outcome.type === 'expired') tries.expired(one)
    else if (outcome.type === 'unsent') tries.abandoned(one)
    else if (outcome.type !== 'cancelled') {
      const earlier = new Set(running.slice(0, running.indexOf(one)))
      closeOthers(tries, others, { earlier, outcome })
      return { one, outcome }
    }
    running = others
  }
  return null
}

/** Where only one is running and it is late, the next one is begun; at most two run at a time. */
async function withOneBeside(tries: Tries, running: readonly Try[]): Promise<readonly Try[]> {
  const [only, ...others] = running
  if (only === undefined || others.length > 0 || !(await isLate(tries, only))) return running
  const beside = tries.nextBeside(running)
  return beside === null ? running : [only, tries.start(beside, { hedged: true })]
}

/** Waits until it is or has ended; not for one that may take its time. */
async function isLate(tries: Tries, one: Try): Promise<boolean> {
  const patienceMs = tries.patienceMs(one.target)
  if (patienceMs === Infinity) return false
  const ended = one.outcome.then(() => null)
  const sentAt = await Promise.race([ended, one.sentAt])
  if (sentAt === null) return false
  const { promise: late, resolve } = Promise.withResolvers<true>()
  const leftMs = sentAt + patienceMs - performance.now()
  const timer = setTimeout(() => resolve(true), Math.max(0, leftMs))
  try {
    return (await Promise.race([ended, late])) === true
  } finally {
    clearTimeout(timer)
  }
}

const firstToEnd = (running: readonly Try[]): Promise<Try> =>
  Promise.race(running.map((one) => one.outcome.then(() => one)))

/** Those that were begun before the one that spoke were late, or it would not have been begun. */
function closeOthers(
  tries: Tries,
  others: readonly Try[],
  { earlier, outcome }: { earlier: ReadonlySet<Try>; outcome: Spoken['outcome'] },
) {
  for (const other of others) {
    if (outcome.type === 'abandoned') tries.notNeeded(other, 'client_left')
    else if (earlier.has(other)) tries.overtaken(other)
    else tries.notNeeded(other, 'late_one_spoke')
  }
}
