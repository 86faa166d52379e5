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
export function awaitFirstAnswer<Stop extends AttemptReason = never>(
  attempts: Attempts,
  first: RunningAttempt,
  hedge: Hedge<Stop> = new UsualHedge(attempts),
): Promise<FirstAnswer | Stop | null> {
  const isAlone = hedge.stopped === null && isNeverLate(attempts, first)
  return isAlone ? awaitOnlyAnswer(attempts, first, hedge) : awaitRace(attempts, first, hedge)
}

/** Whether no other attempt is started while this one runs. */
export const isNeverLate = (attempts: Attempts, { target }: RunningAttempt): boolean =>
  attempts.hedgeAfterMs(target) === Infinity

/** The answer of an attempt that ran alone; null for none, which is reported. */
export const onlyAnswer = (
  attempts: Attempts,
  attempt: RunningAttempt,
  outcome: AttemptOutcome,
): FirstAnswer | null => answerIn(attempts, new UsualHedge(attempts), { attempt, outcome })

async function awaitOnlyAnswer<Stop extends AttemptReason>(
  attempts: Attempts,
  attempt: RunningAttempt,
  hedge: Hedge<Stop>,
): Promise<FirstAnswer | null> {
  try {
    return answerIn(attempts, hedge, { attempt, outcome: await attempt.outcome })
  } catch (error) {
    if (!hedge.keepsFirst) closeAfterBug(attempt)
    throw error
  }
}

async function awaitRace<Stop extends AttemptReason>(
  attempts: Attempts,
  first: RunningAttempt,
  hedge: Hedge<Stop>,
): Promise<FirstAnswer | Stop | null> {
  let running: readonly RunningAttempt[] = [first]
  const closable = (all: readonly RunningAttempt[]) =>
    hedge.keepsFirst ? all.filter((attempt) => attempt !== first) : all
  try {
    while (running.length > 0) {
      const firstEnded = awaitFirstEnded(running, hedge.stopped)
      const late = hedgeWhenLate(attempts, running, { firstEnded, hedge })
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
      const others = running.filter((other) => other !== end.attempt)
      const answer = answerIn(attempts, hedge, end)
      if (answer !== null) {
        if (others.length > 0) {
          const earlier = running.slice(0, running.indexOf(answer.attempt))
          closeOthers(attempts, closable(others), { earlier, outcome: answer.outcome })
        }
        return answer
      }
      running = others
    }
    return null
  } catch (error) {
    for (const attempt of closable(running)) closeAfterBug(attempt)
    throw error
  }
}

/** Null for the end of an attempt without an answer, which is reported. */
function answerIn<Stop extends AttemptReason>(
  attempts: Attempts,
  hedge: Hedge<Stop>,
  { attempt, outcome }: Ended,
): FirstAnswer | null {
  if (outcome.type === 'failed') hedge.failed(attempt, outcome)
  else if (outcome.type === 'expired') attempts.expired(attempt, lostAnswerOf(outcome))
  else if (outcome.type === 'unsent') attempts.abandoned(attempt)
  else if (outcome.type !== 'cancelled') return { attempt, outcome }
  return null
}

/** A bug in the gateway ends the request, and no other code would close its attempts. */
export function closeAfterBug(attempt: RunningAttempt) {
  attempt.exchange.cancel()
  attempt.probe.dropped()
  void closeIfStreaming(attempt)
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

class UsualHedge implements Hedge {
  readonly stopped = null
  readonly keepsFirst = false
  readonly #attempts: Attempts

  constructor(attempts: Attempts) {
    this.#attempts = attempts
  }

  begin(running: readonly RunningAttempt[]): RunningAttempt | null {
    const second = this.#attempts.nextHedge(running)
    return second === null ? null : this.#attempts.start(second, { hedged: true })
  }

  failed(attempt: RunningAttempt, failure: Failed) {
    this.#attempts.failed(attempt, failure)
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
  { firstEnded, hedge }: { firstEnded: Promise<unknown>; hedge: Pick<Hedge, 'begin'> },
): Promise<RunningAttempt | null> | null {
  const [only, second] = running
  if (only === undefined || second !== undefined) return null
  const delayMs = attempts.hedgeAfterMs(only.target)
  if (delayMs === Infinity) return null
  return hedgeOnceLate(attempts, only, { firstEnded, hedge, delayMs })
}

async function hedgeOnceLate(
  attempts: Attempts,
  only: RunningAttempt,
  {
    firstEnded,
    hedge,
    delayMs,
  }: { firstEnded: Promise<unknown>; hedge: Pick<Hedge, 'begin'>; delayMs: number },
): Promise<RunningAttempt | null> {
  const sentAt = await Promise.race([firstEnded.then(() => null), only.sentAt])
  if (sentAt === null) return null
  let waitMs = Math.max(0, sentAt + delayMs - attempts.clock.monotonic())
  while (await elapsesBefore(firstEnded, waitMs, attempts.clock)) {
    const second = await hedge.begin([only])
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
