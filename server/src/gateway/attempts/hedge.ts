import type { AttemptOutcome, Failed } from './attempt.ts'
import type { Attempts, RunningAttempt } from './attempts.ts'

export type FirstAnswer = {
  readonly one: RunningAttempt
  readonly outcome: Exclude<AttemptOutcome, { type: 'failed' | 'expired' | 'cancelled' | 'unsent' }>
}

/** What a race does where that is not the usual; `Stop` is why it may be given up. */
export type Hedge<Stop extends string = never> = {
  /** Begins with the next one beside those that run; null where nobody is ready. */
  readonly begin: (
    running: readonly RunningAttempt[],
  ) => RunningAttempt | null | Promise<RunningAttempt | null>
  readonly failed: (one: RunningAttempt, failure: Failed) => void
  /** Nobody is waited for any more; null where that does not come about. */
  readonly stopped: Promise<Stop> | null
  /** The first one is a stream that was heard before: it is run beside, and is not closed here. */
  readonly isFirstKept: boolean
}

/** Somebody comes back earlier than it was said, so it is not only then looked for. */
const LOOK_MS_MOST = 1000
/** A clock may say that somebody is ready in no time at all, and say it again. */
const LOOK_MS_LEAST = 10

/**
 * What the first channel to speak said; null when every one that was asked has failed. A channel that is
 * late is not given up: the next one is asked beside it, and whoever is slower is closed. At most two run
 * at a time.
 */
export async function awaitFirstToken<Stop extends string = never>(
  tries: Attempts,
  first: RunningAttempt,
  race: Hedge<Stop> = usualHedge(tries),
): Promise<FirstAnswer | Stop | null> {
  let running: readonly RunningAttempt[] = [first]
  const asked = (all: readonly RunningAttempt[]) =>
    race.isFirstKept ? all.filter((one) => one !== first) : all
  try {
    while (running.length > 0) {
      const sign = firstSign(running, race.stopped)
      const late = hedgeWhenLate(tries, running, { sign, begin: race.begin })
      const beside = late === null ? null : await late
      if (beside !== null) {
        running = [...running, beside]
        continue
      }
      const ended = await sign
      if (typeof ended === 'string') {
        for (const one of asked(running)) {
          tries.notNeeded(one, ended)
          void closeIfSpoken(one)
        }
        return ended
      }
      const { one, outcome } = ended
      const others = running.filter((other) => other !== one)
      if (outcome.type === 'failed') race.failed(one, outcome)
      else if (outcome.type === 'expired') tries.expired(one, lostBy(outcome))
      else if (outcome.type === 'unsent') tries.abandoned(one)
      else if (outcome.type !== 'cancelled') {
        const earlier = running.slice(0, running.indexOf(one))
        closeOthers(tries, asked(others), { earlier, outcome })
        return { one, outcome }
      }
      running = others
    }
    return null
  } catch (error) {
    // A bug of ours ends the request, and nobody else would close them.
    for (const one of asked(running)) {
      one.cancel()
      one.probe.dropped()
      void closeIfSpoken(one)
    }
    throw error
  }
}

const lostBy = ({ workedMs, isSilent }: AttemptOutcome & { type: 'expired' }) => ({
  workedMs,
  isSilent,
})

/** One that has spoken in the same moment has an outcome, and is not cancelled any more. */
async function closeIfSpoken(one: RunningAttempt): Promise<void> {
  const outcome = await one.outcome.catch(() => null)
  if (outcome?.type === 'streaming') outcome.stream.exchange.abort()
}

function usualHedge(tries: Attempts): Hedge {
  return {
    begin: (running) => {
      const beside = tries.nextHedge(running)
      return beside === null ? null : tries.start(beside, { hedged: true })
    },
    failed: (one, failure) => tries.failed(one, failure),
    stopped: null,
    isFirstKept: false,
  }
}

type Ended = { readonly one: RunningAttempt; readonly outcome: AttemptOutcome }

/** The first to end, or why nobody is waited for. */
function firstSign<Stop extends string>(
  running: readonly RunningAttempt[],
  stopped: Promise<Stop> | null,
): Promise<Ended | Stop> {
  const signs = running.map((one) => one.outcome.then((outcome): Ended => ({ one, outcome })))
  const [only, ...others] = signs
  if (stopped !== null) return Promise.race<Ended | Stop>([stopped, ...signs])
  return only !== undefined && others.length === 0 ? only : Promise.race(signs)
}

/**
 * Another, begun where only one is running, once that is late and somebody is ready; null where there is a
 * sign before, and for one that may take its time.
 */
function hedgeWhenLate(
  tries: Attempts,
  running: readonly RunningAttempt[],
  { sign, begin }: { sign: Promise<unknown> } & Pick<Hedge, 'begin'>,
): Promise<RunningAttempt | null> | null {
  const [only, ...others] = running
  if (only === undefined || others.length > 0) return null
  const patienceMs = tries.hedgeAfterMs(only.target)
  if (patienceMs === Infinity) return null
  return hedgeOnceLate(tries, only, { sign, begin, patienceMs })
}

async function hedgeOnceLate(
  tries: Attempts,
  only: RunningAttempt,
  {
    sign,
    begin,
    patienceMs,
  }: { sign: Promise<unknown>; patienceMs: number } & Pick<Hedge, 'begin'>,
): Promise<RunningAttempt | null> {
  const sentAt = await Promise.race([sign.then(() => null), only.sentAt])
  if (sentAt === null) return null
  let waitMs = Math.max(0, sentAt + patienceMs - performance.now())
  while (await passesBefore(sign, waitMs)) {
    const beside = await begin([only])
    if (beside !== null) return beside
    const readyInMs = tries.nextHedgeInMs([only])
    if (readyInMs === Infinity) return null
    waitMs = Math.min(Math.max(readyInMs, LOOK_MS_LEAST), LOOK_MS_MOST)
  }
  return null
}

/** Whether so long passes before the sign is there. */
async function passesBefore(sign: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: passed, resolve } = Promise.withResolvers<true>()
  const timer = setTimeout(() => resolve(true), ms)
  try {
    return await Promise.race([sign.then(() => false), passed])
  } finally {
    clearTimeout(timer)
  }
}

/** Those that were begun before the one that spoke were late, or it would not have been begun. */
function closeOthers(
  tries: Attempts,
  others: readonly RunningAttempt[],
  { earlier, outcome }: { earlier: readonly RunningAttempt[]; outcome: FirstAnswer['outcome'] },
) {
  for (const other of others) {
    if (outcome.type === 'abandoned') tries.notNeeded(other, 'client_left')
    else if (earlier.includes(other)) tries.lostHedge(other)
    else tries.notNeeded(other, 'late_one_spoke')
    void closeIfSpoken(other)
  }
}
