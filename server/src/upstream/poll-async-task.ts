import {
  type UpstreamSecrets,
  classifyUpstreamError,
  problemFromTransport,
  type TaskQueue,
} from '@tollgate/relay'
import { sleep } from '../clock.ts'
import { CallProblem } from './call-problem.ts'
import { withHeaders } from './channel-overrides.ts'
import { reachedProvider, type UpstreamCall } from './exchange.ts'
import { isSuccess, sendAndCollect } from './read-response.ts'
import type { Upstream } from './send.ts'

const ANSWER_BYTES_MAX = 1024 * 1024
const TOO_SLOW = 408

type Queue = {
  readonly readTaskId: TaskQueue['readTaskId']
  readonly pollRequest: (taskId: string) => Pick<UpstreamCall, 'url' | 'headers'>
  readonly isDone: TaskQueue['isDone']
  readonly channelSecrets: UpstreamSecrets
  readonly onAccepted: () => void
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Submits an async task and polls it. Resolves with the call that fetches the finished answer.
 * Rejects with a `CallProblem`, at the latest after `firstByteMs`.
 */
export async function submitAndPoll(
  upstream: Pick<Upstream, 'send' | 'limits' | 'clock'>,
  call: UpstreamCall,
  { readTaskId, pollRequest, isDone, channelSecrets, onAccepted, now }: Queue,
  stop: AbortSignal,
): Promise<UpstreamCall> {
  const signal = AbortSignal.any([AbortSignal.timeout(upstream.limits.firstByteMs), stop])
  const answer = await sendAndCollect(upstream, call, { signal, bytesMax: ANSWER_BYTES_MAX })
  if (typeof answer === 'string') {
    const isBillable = reachedProvider(answer)
    throw new CallProblem(problemFromTransport(answer), 0, { isBillable })
  }
  const { status, body } = answer
  if (!isSuccess(status)) {
    const failure = { ...answer, body, channelSecrets, now }
    throw new CallProblem(classifyUpstreamError(failure), status)
  }
  const taskId = readTaskId(body)
  if (taskId === null) {
    throw new CallProblem(problemFromTransport('malformed'), status, { isBillable: true })
  }
  onAccepted()
  const { url, headers } = pollRequest(taskId)
  const resultCall: UpstreamCall = {
    url,
    headers: withHeaders(headers, channelSecrets.headers),
    body: null,
    proxy: channelSecrets.proxy,
  }
  await pollUntilDone(upstream, { resultCall, isDone, signal })
  return resultCall
}

async function pollUntilDone(
  upstream: Pick<Upstream, 'send' | 'limits' | 'clock'>,
  {
    resultCall,
    isDone,
    signal,
  }: { resultCall: UpstreamCall; isDone: TaskQueue['isDone']; signal: AbortSignal },
): Promise<void> {
  await sleep(upstream.clock, upstream.limits.pollMs)
  while (!signal.aborted) {
    const state = await sendAndCollect(upstream, resultCall, { signal, bytesMax: ANSWER_BYTES_MAX })
    const isAnswered = typeof state !== 'string' && state.status < 429 && state.status !== TOO_SLOW
    // A failed poll is repeated.
    if (isAnswered && (!isSuccess(state.status) || isDone(state.body))) return
    await sleep(upstream.clock, upstream.limits.pollMs)
  }
  throw new CallProblem(problemFromTransport('total_timeout'), 0, { isBillable: true })
}
