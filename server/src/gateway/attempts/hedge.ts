import type { AttemptOutcome, Failed } from './attempt.ts'
import type { Attempts, RunningAttempt } from './attempts.ts'

export type FirstAnswer = {
  readonly one: RunningAttempt
  readonly outcome: Exclude<AttemptOutcome, { type: 'failed' | 'expired' | 'cancelled' | 'unsent' }>
}

/** Replaces parts of the usual hedging. `Stop` is the reason why a hedge may be stopped. */
export type Hedge<Stop extends string = never> = {
  /** Starts the next attempt next to those running. Null if no channel is ready. */
  readonly begin: (
    running: readonly RunningAttempt[],
  ) => RunningAttempt | null | Promise<RunningAttempt | null>
  readonly failed: (one: RunningAttempt, failure: Failed) => void
  /** Ends the wait for an answer. Null if nothing can. */
  readonly stopped: Promise<Stop> | null
  /**
   * The first attempt is a stream that has delivered output. It takes part, but is not closed here.
   */
  readonly isFirstKept: boolean
}

/** Upper bound: a channel may be ready before its cooldown ends. */
const LOOK_MS_MOST = 1000
/** Lower bound: a channel may repeatedly be reported as ready in 0 ms. */
const LOOK_MS_LEAST = 10

/**
 * Returns the first answer, or null if every channel that was asked has failed. A late attempt is
 * not given up: the next channel is asked as well, and the slower attempt is closed. At most two
 * attempts run at a time.
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
      const second = late === null ? null : await late
      if (second !== null) {
        running = [...running, second]
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
    // A bug in the gateway ends the request, and no other code would close these attempts.
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

/**
 * An attempt that answered in the same moment has an outcome, so `cancel` does not close its
 * stream.
 */
async function closeIfSpoken(one: RunningAttempt): Promise<void> {
  const outcome = await one.outcome.catch(() => null)
  if (outcome?.type === 'streaming') outcome.stream.exchange.abort()
}

function usualHedge(tries: Attempts): Hedge {
  return {
    begin: (running) => {
      const second = tries.nextHedge(running)
      return second === null ? null : tries.start(second, { hedged: true })
    },
    failed: (one, failure) => tries.failed(one, failure),
    stopped: null,
    isFirstKept: false,
  }
}

type Ended = { readonly one: RunningAttempt; readonly outcome: AttemptOutcome }

/** The first attempt to end, or the reason to stop. */
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
 * Starts a hedge once the only running attempt is late and a channel is ready. Null if `sign`
 * resolves first, or if the attempt is never late.
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
    const second = await begin([only])
    if (second !== null) return second
    const readyInMs = tries.nextHedgeInMs([only])
    if (readyInMs === Infinity) return null
    waitMs = Math.min(Math.max(readyInMs, LOOK_MS_LEAST), LOOK_MS_MOST)
  }
  return null
}

/** Whether `ms` pass before `sign` resolves. */
async function passesBefore(sign: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: passed, resolve } = Promise.withResolvers<true>()
  const timer = setTimeout(() => resolve(true), ms)
  try {
    return await Promise.race([sign.then(() => false), passed])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Attempts started before the winner were late; otherwise the winner would not have been started.
 */
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
