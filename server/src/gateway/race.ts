import type { AttemptOutcome } from './attempt.ts'
import type { Tries, Try } from './tries.ts'

export type Spoken = {
  readonly one: Try
  readonly outcome: Exclude<AttemptOutcome, { type: 'failed' | 'cancelled' | 'unsent' }>
}

/**
 * What the first channel to speak said; null when every one that was asked has failed. A channel that is
 * late is not given up: the next one is asked beside it, and whoever is slower is closed.
 */
export async function firstToSpeak(tries: Tries, first: Try): Promise<Spoken | null> {
  let running: readonly Try[] = [first]
  let isLate = false
  while (running.length > 0) {
    const beside = isLate && running.length === 1 ? tries.nextBeside(running) : null
    if (beside !== null) running = [...running, tries.start(beside, { hedged: true })]
    const patienceMs = isLate ? Infinity : tries.patienceMs(first.target)
    const one = await firstToEnd(running, patienceMs)
    if (one === null) {
      isLate = true
      continue
    }
    const outcome = await one.outcome
    running = running.filter((other) => other !== one)
    if (outcome.type === 'cancelled') continue
    if (outcome.type === 'failed') tries.failed(one, outcome)
    else if (outcome.type === 'unsent') tries.abandoned(one)
    else {
      closeOthers(tries, running, { first, outcome })
      return { one, outcome }
    }
  }
  return null
}

/** Null when the patience is at its end first. */
async function firstToEnd(running: readonly Try[], patienceMs: number): Promise<Try | null> {
  const [only, ...others] = running
  if (only !== undefined && others.length === 0 && patienceMs === Infinity) {
    await only.outcome
    return only
  }
  const ended = running.map(async (one) => {
    await one.outcome
    return one
  })
  if (patienceMs === Infinity) return Promise.race(ended)
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), patienceMs)
  try {
    return await Promise.race([...ended, late])
  } finally {
    clearTimeout(timer)
  }
}

function closeOthers(
  tries: Tries,
  others: readonly Try[],
  { first, outcome }: { first: Try; outcome: Spoken['outcome'] },
) {
  for (const other of others) {
    if (outcome.type === 'abandoned') tries.notNeeded(other, 'client_left')
    else if (other === first) tries.overtaken(other)
    else tries.notNeeded(other, 'late_one_spoke')
  }
}
