import { setTimeout as pause } from 'node:timers/promises'
import {
  type AskedWith,
  classifyUpstreamError,
  problemFromTransport,
  type TaskQueue,
} from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import { reachedProvider, type UpstreamCall } from './exchange.ts'
import { isSuccess, sendForWhole } from './read-response.ts'
import type { Upstream } from './send.ts'

const ANSWER_BYTES_MAX = 1024 * 1024
const TOO_SLOW = 408

type Queue = {
  readonly ticket: TaskQueue['ticket']
  readonly ask: (ticket: string) => Pick<UpstreamCall, 'url' | 'headers'>
  readonly isDone: TaskQueue['isDone']
  readonly askedWith: AskedWith
  readonly taken: () => void
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Submits an async task and polls it. Resolves with the call that fetches the finished answer.
 * Rejects with a `CallProblem`, at the latest after `firstByteMs`.
 */
export async function enterQueue(
  upstream: Pick<Upstream, 'send' | 'limits'>,
  call: UpstreamCall,
  { ticket: ticketIn, ask, isDone, askedWith, taken, now }: Queue,
  stop: AbortSignal,
): Promise<UpstreamCall> {
  const signal = AbortSignal.any([AbortSignal.timeout(upstream.limits.firstByteMs), stop])
  const answer = await sendForWhole(upstream, call, { signal, bytesMax: ANSWER_BYTES_MAX })
  if (typeof answer === 'string') {
    const isBillable = reachedProvider(answer)
    throw new CallProblem(problemFromTransport(answer), 0, { isBillable })
  }
  const { status, body } = answer
  if (!isSuccess(status)) {
    const failure = { ...answer, body, askedWith, now }
    throw new CallProblem(classifyUpstreamError(failure), status)
  }
  const ticket = ticketIn(body)
  if (ticket === null) {
    throw new CallProblem(problemFromTransport('malformed'), status, { isBillable: true })
  }
  taken()
  const asking: UpstreamCall = { ...ask(ticket), body: null, proxy: askedWith.proxy }
  await askUntilDone(upstream, { asking, isDone, signal })
  return asking
}

async function askUntilDone(
  upstream: Pick<Upstream, 'send' | 'limits'>,
  {
    asking,
    isDone,
    signal,
  }: { asking: UpstreamCall; isDone: TaskQueue['isDone']; signal: AbortSignal },
): Promise<void> {
  await pause(upstream.limits.pollMs)
  while (!signal.aborted) {
    const state = await sendForWhole(upstream, asking, { signal, bytesMax: ANSWER_BYTES_MAX })
    const isHeard = typeof state !== 'string' && state.status < 429 && state.status !== TOO_SLOW
    // A failed poll is repeated.
    if (isHeard && (!isSuccess(state.status) || isDone(state.body))) return
    await pause(upstream.limits.pollMs)
  }
  throw new CallProblem(problemFromTransport('total_timeout'), 0, { isBillable: true })
}
