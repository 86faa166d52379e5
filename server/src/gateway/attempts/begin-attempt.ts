import type { RelayRequest } from '@tollgate/relay'
import { type Due, NOT_DUE } from '../../deadlines.ts'
import { CallProblem } from '../../upstream/call-problem.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { AttemptExchange, AttemptOutcome } from './attempt-outcome.ts'
import { Attempt, type AttemptDeps, setDeadline } from './attempt.ts'

/** Starts an attempt once its call is encoded. */
export function beginAttempt(
  deps: AttemptDeps,
  request: RelayRequest,
  encode: () => UpstreamCall | Promise<UpstreamCall>,
): AttemptExchange {
  try {
    const call = encode()
    return call instanceof Promise
      ? beginWhenReady(deps, request, call)
      : new Attempt(deps, request, call)
  } catch (error) {
    const noop = () => {}
    return { outcome: Promise.resolve(failureOf(error)), cancel: noop, abandon: noop }
  }
}

function beginWhenReady(
  deps: AttemptDeps,
  request: RelayRequest,
  ready: Promise<UpstreamCall>,
): AttemptExchange {
  const stop = new AbortController()
  let running: AttemptExchange | null = null
  let stopOutcome: AttemptOutcome | null = null
  /** The request was submitted to a provider's queue, which runs and bills it in any case. */
  let isSubmitted = false
  let isQueued = false
  const begin = async (call: UpstreamCall): Promise<AttemptOutcome> => {
    if (stopOutcome === null && deps.client.disconnected) stopWith({ type: 'unsent' })
    if (stopOutcome !== null) return stopOutcome
    isSubmitted = call.queue !== undefined
    const finalCall = (await call.queue?.(stop.signal, () => (isQueued = true))) ?? call
    stopWaiting()
    if (stopOutcome !== null) return stopOutcome
    running = new Attempt(deps, request, finalCall)
    return running.outcome
  }
  const end = Promise.withResolvers<AttemptOutcome>()
  const stopWith = (outcome: AttemptOutcome) => {
    stopOutcome ??= outcome
    stopWaiting()
    stop.abort()
    end.resolve(stopOutcome)
  }
  // Queued work is charged in full, so `workedMs` does not matter.
  const onDrainOver = () =>
    stopWith(isSubmitted ? { type: 'abandoned', workedMs: 0 } : { type: 'unsent' })
  const expiry: Due = {
    dueAt: Infinity,
    dueSlot: NOT_DUE,
    onDue: () => stopWith({ type: 'expired', workedMs: 0, isSilent: true }),
  }
  const stopWaiting = () => {
    deps.client.offDrainTimeout(onDrainOver)
    deps.deadlines.clear(expiry)
  }
  deps.client.onDrainTimeout(onDrainOver)
  setDeadline(deps, expiry)
  const started = ready.then(begin).catch((error: unknown) => {
    stopWaiting()
    return stopOutcome ?? failureOf(error)
  })
  const outcome = Promise.race([started, end.promise])
  // A request that ends by a bug before it awaits the outcome may not end the process.
  outcome.catch(() => {})
  return {
    outcome,
    isQueued: () => isQueued,
    cancel: () => (running === null ? stopWith({ type: 'cancelled' }) : running.cancel()),
    abandon: () => running?.abandon(),
  }
}

/** Rethrows everything but a `CallProblem`: a bug in the gateway. */
function failureOf(error: unknown): AttemptOutcome {
  if (!(error instanceof CallProblem)) throw error
  const { problem, status, isBillable } = error
  return { type: 'failed', problem, status, ...(isBillable && { workedMs: 0 }) }
}
