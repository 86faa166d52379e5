import { setTimeout as pause } from 'node:timers/promises'
import { classifyUpstreamError, problemFromTransport, type TaskQueue } from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import { isSuccess, sendForWhole } from './collect.ts'
import type { UpstreamCall } from './exchange.ts'
import type { Upstream } from './send.ts'

const ANSWER_BYTES_MAX = 1024 * 1024

/** Of one provider, for one task. */
type Queue = {
  readonly ticket: TaskQueue['ticket']
  readonly ask: (ticket: string) => Pick<UpstreamCall, 'url' | 'headers'>
  readonly isDone: TaskQueue['isDone']
  readonly key: string
  readonly proxy: string | null
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Sends what a provider queues, and asks from time to time what has become of it. Resolves with the call that
 * gets the answer once there is one. Rejects with a `CallProblem`, at the latest when the first byte of an
 * answer would be late.
 */
export async function waitInQueue(
  upstream: Pick<Upstream, 'send' | 'limits'>,
  call: UpstreamCall,
  { ticket: ticketIn, ask, isDone, key, proxy, now }: Queue,
): Promise<UpstreamCall> {
  const { firstByteMs, pollMs } = upstream.limits
  const signal = AbortSignal.timeout(firstByteMs)
  const bounds = { signal, bytesMax: ANSWER_BYTES_MAX }
  const answer = await sendForWhole(upstream, call, bounds)
  if (typeof answer === 'string') throw new CallProblem(problemFromTransport(answer), 0)
  const { status, body } = answer
  if (!isSuccess(status)) {
    const failure = { ...answer, body, key, now }
    throw new CallProblem(classifyUpstreamError(failure), status)
  }
  const ticket = ticketIn(body)
  if (ticket === null) throw new CallProblem(problemFromTransport('malformed'), status)
  const asking: UpstreamCall = { ...ask(ticket), body: null, proxy }
  while (!signal.aborted) {
    await pause(pollMs)
    const state = await sendForWhole(upstream, asking, bounds)
    // A question that got lost is asked again.
    const isKnown = typeof state !== 'string' && (isSuccess(state.status) || state.status < 429)
    if (isKnown && (!isSuccess(state.status) || isDone(state.body))) return asking
  }
  throw new CallProblem(problemFromTransport('total_timeout'), 0)
}
