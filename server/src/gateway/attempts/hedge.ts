import { ATTEMPT_REASON, type AttemptReason } from '@tollgate/contract'
import type { Clock } from '../../clock.ts'
import type { AttemptOutcome, Failed } from './attempt-outcome.ts'
import type { Attempts } from './attempts.ts'
import type { RunningAttempt } from './running-attempt.ts'

export type FirstAnswer = {
  readonly attempt: RunningAttempt
  readonly outcome: Exclude<AttemptOutcome, { type: 'failed' | 'expired' | 'cancelled' | 'unsent' }>
}

/** Replaces parts of the usual hedging. `Stop` is the reason why a hedge may be stopped. */
export type Hedge<Stop extends AttemptReason = never> = {
  /** Starts the next attempt next to those running. Null if no channel is ready. */
  readonly begin: (
    running: readonly RunningAttempt[],
  ) => RunningAttempt | null | Promise<RunningAttempt | null>
  readonly failed: (attempt: RunningAttempt, failure: Failed) => void
  /** Ends the wait for an answer. Null if nothing can. */
  readonly stopped: Promise<Stop> | null
  /**
   * The first attempt is a stream that has delivered output. It takes part, but is not closed here.
   */
  readonly keepsFirst: boolean
}

/** Upper bound: a channel may be ready before its cooldown ends. */
const RECHECK_MS_MAX = 1000
/** Lower bound: a channel may repeatedly be reported as ready in 0 ms. */
const RECHECK_MS_MIN = 10

/**
 * Returns the first answer, or null if every channel that was asked has failed. A late attempt is
 * not given up: the next channel is asked as well, and the slower attempt is closed. At most two
 * attempts run at a time.
 */
export async function awaitFirstAnswer<Stop extends AttemptReason = never>(
  attempts: Attempts,
  first: RunningAttempt,
  hedge: Hedge<Stop> = defaultHedge(attempts),
): Promise<FirstAnswer | Stop | null> {
  let running: readonly RunningAttempt[] = [first]
  const closable = (all: readonly RunningAttempt[]) =>
    hedge.keepsFirst ? all.filter((attempt) => attempt !== first) : all
  try {
    while (running.length > 0) {
      const firstEnded = awaitFirstEnded(running, hedge.stopped)
      const late = hedgeWhenLate(attempts, running, { firstEnded, begin: hedge.begin })
      const second = late === null ? null : await late
      if (second !== null) {
        running = [...running, second]
        continue
      }
      const end = await firstEnded
      if (typeof end === 'string') {
        for (const attempt of closable(running)) {
          attempts.discarded(attempt, end)
          void closeIfStreaming(attempt)
        }
        return end
      }
      const { attempt, outcome } = end
      const others = running.filter((other) => other !== attempt)
      if (outcome.type === 'failed') hedge.failed(attempt, outcome)
      else if (outcome.type === 'expired') attempts.expired(attempt, lostAnswerOf(outcome))
      else if (outcome.type === 'unsent') attempts.abandoned(attempt)
      else if (outcome.type !== 'cancelled') {
        if (others.length > 0) {
          const earlier = running.slice(0, running.indexOf(attempt))
          closeOthers(attempts, closable(others), { earlier, outcome })
        }
        return { attempt, outcome }
      }
      running = others
    }
    return null
  } catch (error) {
    // A bug in the gateway ends the request, and no other code would close these attempts.
    for (const attempt of closable(running)) {
      attempt.cancel()
      attempt.probe.dropped()
      void closeIfStreaming(attempt)
    }
    throw error
  }
}

const lostAnswerOf = ({ workedMs, isSilent }: AttemptOutcome & { type: 'expired' }) => ({
  workedMs,
  isSilent,
})

/**
 * An attempt that answered in the same moment has an outcome, so `cancel` does not close its
 * stream.
 */
async function closeIfStreaming(attempt: RunningAttempt): Promise<void> {
  const outcome = await attempt.outcome.catch(() => null)
  if (outcome?.type === 'streaming') outcome.stream.exchange.abort()
}

function defaultHedge(attempts: Attempts): Hedge {
  return {
    begin: (running) => {
      const second = attempts.nextHedge(running)
      return second === null ? null : attempts.start(second, { hedged: true })
    },
    failed: (attempt, failure) => attempts.failed(attempt, failure),
    stopped: null,
    keepsFirst: false,
  }
}

type Ended = { readonly attempt: RunningAttempt; readonly outcome: AttemptOutcome }

/** The first attempt to end, or the reason to stop. */
function awaitFirstEnded<Stop extends AttemptReason>(
  running: readonly RunningAttempt[],
  stopped: Promise<Stop> | null,
): Promise<Ended | Stop> {
  const [only, second] = running
  if (stopped === null && only !== undefined && second === undefined) return ended(only)
  const allEnded = running.map(ended)
  return stopped === null
    ? Promise.race(allEnded)
    : Promise.race<Ended | Stop>([stopped, ...allEnded])
}

const ended = (attempt: RunningAttempt): Promise<Ended> =>
  attempt.outcome.then((outcome) => ({ attempt, outcome }))

/**
 * Starts a hedge once the only running attempt is late and a channel is ready. Null if `firstEnded`
 * resolves first, or if the attempt is never late.
 */
function hedgeWhenLate(
  attempts: Attempts,
  running: readonly RunningAttempt[],
  { firstEnded, begin }: { firstEnded: Promise<unknown> } & Pick<Hedge, 'begin'>,
): Promise<RunningAttempt | null> | null {
  const [only, second] = running
  if (only === undefined || second !== undefined) return null
  const delayMs = attempts.hedgeAfterMs(only.target)
  if (delayMs === Infinity) return null
  return hedgeOnceLate(attempts, only, { firstEnded, begin, delayMs })
}

async function hedgeOnceLate(
  attempts: Attempts,
  only: RunningAttempt,
  {
    firstEnded,
    begin,
    delayMs,
  }: { firstEnded: Promise<unknown>; delayMs: number } & Pick<Hedge, 'begin'>,
): Promise<RunningAttempt | null> {
  const sentAt = await Promise.race([firstEnded.then(() => null), only.sentAt])
  if (sentAt === null) return null
  let waitMs = Math.max(0, sentAt + delayMs - attempts.clock.monotonic())
  while (await elapsesBefore(firstEnded, waitMs, attempts.clock)) {
    const second = await begin([only])
    if (second !== null) return second
    const cooldownMs = attempts.nextHedgeInMs([only])
    if (cooldownMs === Infinity) return null
    waitMs = Math.min(Math.max(cooldownMs, RECHECK_MS_MIN), RECHECK_MS_MAX)
  }
  return null
}

/** Whether `ms` pass before `firstEnded` resolves. */
async function elapsesBefore(
  firstEnded: Promise<unknown>,
  ms: number,
  clock: Clock,
): Promise<boolean> {
  const { promise: elapsed, resolve } = Promise.withResolvers<true>()
  const timer = clock.after(ms, () => resolve(true))
  try {
    return await Promise.race([firstEnded.then(() => false), elapsed])
  } finally {
    timer.close()
  }
}

/**
 * Attempts started before the winner were late; otherwise the winner would not have been started.
 */
function closeOthers(
  attempts: Attempts,
  others: readonly RunningAttempt[],
  { earlier, outcome }: { earlier: readonly RunningAttempt[]; outcome: FirstAnswer['outcome'] },
) {
  for (const other of others) {
    if (outcome.type === 'abandoned') attempts.discarded(other, ATTEMPT_REASON.clientLeft)
    else if (earlier.includes(other)) attempts.lostHedge(other)
    else attempts.discarded(other, ATTEMPT_REASON.hedgeNotNeeded)
    void closeIfStreaming(other)
  }
}
