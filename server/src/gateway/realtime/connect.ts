import { ATTEMPT_REASON, type AttemptRecord, END_REASON } from '@tollgate/contract'
import {
  type UpstreamSecrets,
  CALL_DETAILS,
  problemFromSetup,
  problemFromTransport,
  realtimeCall,
  type UpstreamProblem,
} from '@tollgate/relay'
import { type Clock, sleep } from '../../clock.ts'
import { nextAttempt } from '../../domain/retry-policy.ts'
import type { Outgoing } from '../../network/outgoing.ts'
import { failureOfRefusal } from '../../upstream/address-refusal.ts'
import { withHeaders } from '../../upstream/channel-overrides.ts'
import type { FrameSocket } from '../../upstream/frame-socket.ts'
import { openProviderSession, type SessionOpening, SWITCHING } from '../../upstream/open-session.ts'
import { openTunnel } from '../../upstream/tunnel.ts'
import type { FailedAttempt } from '../attempts/attempts.ts'
import { channelsWaiting, endReasonOf, pickReportedFailure } from '../attempts/final-error.ts'
import { classOf, reasonOf, recordFailure } from '../attempts/record-failure.ts'
import { voidRequest } from '../billing/settle-request.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayDeps } from '../context.ts'
import { upstreamRefusal } from '../errors.ts'
import type { AuthorizedRequest } from './session-access.ts'

export type Connected = {
  readonly target: PricedTarget
  readonly channelSecrets: UpstreamSecrets
  readonly socket: FrameSocket
}

type SessionRequest = {
  readonly isPreview: boolean
  readonly isTranscription: boolean
  readonly isDisconnected: () => boolean
}

/**
 * Opens a session at the first channel that accepts it. If none does, voids the hold and throws a
 * refusal.
 */
export async function connect(
  deps: RelayDeps,
  authorized: AuthorizedRequest,
  sessionRequest: SessionRequest,
): Promise<Connected> {
  const { limits, health, random, clock } = deps
  const { terms } = authorized
  const deadline = clock.monotonic() + limits.attemptsMs
  const failures: FailedAttempt[] = []
  const liveTargets = () => deps.registry().refresh(terms.targets)
  let candidates: readonly PricedTarget[] = terms.targets
  while (!sessionRequest.isDisconnected()) {
    const next = nextAttempt({
      candidates,
      failures,
      retryTimes: terms.options.RetryTimes,
      msLeft: deadline - clock.monotonic(),
      cooldownMs: health.cooldownMs,
      retryAfterMs: health.retryAfterMs,
      random,
    })
    if (next.type === 'give_up') break
    let target = next.channel
    if (next.afterMs > 0) {
      await sleep(clock, next.afterMs)
      candidates = liveTargets()
      const refreshed = candidates.find(({ id }) => id === target.id)
      if (refreshed === undefined) continue
      target = refreshed
    }
    if (isOver(deadline, clock)) break
    const result = await tryChannel(deps, authorized, {
      target,
      sessionRequest,
      deadline,
    })
    if ('socket' in result) return result
    failures.push(result)
    candidates = liveTargets()
  }
  return giveUp(deps, authorized, {
    failures,
    isDisconnected: sessionRequest.isDisconnected(),
    isPastDeadline: isOver(deadline, clock),
  })
}

/** No session opens faster. The remaining time may also be the jitter of an early timer. */
const ATTEMPT_MS_MIN = 10

const isOver = (deadline: number, clock: Clock) => deadline - clock.monotonic() < ATTEMPT_MS_MIN

async function giveUp(
  deps: RelayDeps,
  authorized: AuthorizedRequest,
  {
    failures,
    isDisconnected,
    isPastDeadline,
  }: { failures: readonly FailedAttempt[]; isDisconnected: boolean; isPastDeadline: boolean },
): Promise<never> {
  const failure = pickReportedFailure(failures)
  const { refusal, reason } =
    failure === undefined
      ? {
          refusal: channelsWaiting(deps.health, authorized.terms.targets),
          reason: END_REASON.noChannel,
        }
      : { refusal: upstreamRefusal(failure.problem), reason: endReasonOf(failure, isPastDeadline) }
  const endReason = isDisconnected ? END_REASON.clientLeft : reason
  await voidRequest(deps, authorized, { endReason, content: isDisconnected ? '' : refusal.message })
  throw refusal
}

/** Applies the same rules for keys, health and the attempt log as other requests. */
async function tryChannel(
  { clock, health, autoDisable, limits, upstream }: RelayDeps,
  { attempts }: AuthorizedRequest,
  {
    target,
    sessionRequest,
    deadline,
  }: { target: PricedTarget; sessionRequest: SessionRequest; deadline: number },
): Promise<Connected | FailedAttempt> {
  const startedAt = clock.now()
  const { keys, baseUrl, proxy, overrides } = target.channel
  const key = keys.next(target.upstreamModel)
  const channelSecrets = { key, baseUrl, proxy, headers: overrides.headers }
  const probe = health.begin(target, 'stream')
  const record: AttemptRecord = {
    channel: target.id,
    status: 0,
    reason: ATTEMPT_REASON.unfinished,
    milliseconds: 0,
    model: target.upstreamModel,
    key: keys.idOf(key),
  }
  attempts.push(record)
  const updateRecord = (status: number, reason: string) =>
    Object.assign(record, {
      status,
      reason,
      milliseconds: Math.max(0, Math.round(clock.now() - startedAt)),
    })
  const opening = await open(target, channelSecrets, {
    sessionRequest,
    outgoing: upstream.outgoing,
    clock,
    limits: {
      ...upstream.limits,
      ...limits.realtime,
      connectMs: Math.min(upstream.limits.connectMs, deadline - clock.monotonic()),
    },
  })
  if (opening.type === 'open') {
    probe.answerStarted()
    probe.succeeded()
    updateRecord(SWITCHING, '')
    return { target, channelSecrets, socket: opening.socket }
  }
  const { problem, status } = opening
  updateRecord(status, reasonOf(problem))
  if (status === 0 && isOver(deadline, clock)) {
    // The attempt was cut short by the overall deadline, so it says nothing about the channel.
    probe.dropped()
    return { channel: target, problem, class: 'transient', retryAfterMs: null }
  }
  const failure = { problem, status, failureClass: classOf(problem, status) }
  const verdict = recordFailure({ autoDisable }, { target, key, probe }, failure)
  return { channel: target, problem, ...verdict }
}

async function open(
  { channel, upstreamModel: model }: PricedTarget,
  channelSecrets: UpstreamSecrets,
  {
    sessionRequest,
    outgoing,
    clock,
    limits,
  }: {
    sessionRequest: SessionRequest
    outgoing: Outgoing
    clock: Clock
    limits: Parameters<typeof openProviderSession>[1]
  },
): Promise<SessionOpening> {
  const { descriptor, other, addressFault } = channel
  if (addressFault !== null) return unsent(problemFromSetup(addressFault))
  const { key, baseUrl, proxy } = channelSecrets
  const { isPreview, isTranscription } = sessionRequest
  const call = realtimeCall({ descriptor, baseUrl, other, key, model, isPreview, isTranscription })
  if (call === null) return unsent(problemFromSetup(CALL_DETAILS.noBaseUrl.en))
  const headers = withHeaders(call.headers, channelSecrets.headers)
  const session = { url: call.url, headers, channelSecrets }
  const around = { outgoing, clock }
  if (proxy === null) return openProviderSession({ ...session, tunnel: null }, limits, around)
  const deadline = clock.monotonic() + limits.connectMs
  const tunnel = await openTunnel({ proxy, address: call.url }, limits.connectMs, around).catch(
    failureOfRefusal,
  )
  if (tunnel === null) {
    const detail = 'No session could be opened through the proxy.'
    return unsent({ ...problemFromTransport('connect'), detail })
  }
  if (typeof tunnel === 'string') return unsent(problemFromTransport(tunnel))
  const connectMs = Math.max(1, deadline - clock.monotonic())
  return openProviderSession({ ...session, tunnel }, { ...limits, connectMs }, around)
}

const unsent = (problem: UpstreamProblem): SessionOpening => ({
  type: 'failed',
  status: 0,
  problem,
})
