import { setTimeout as pause } from 'node:timers/promises'
import { type Attempt, END_REASON } from '@tollgate/contract'
import {
  type AskedWith,
  CALL_DETAILS,
  problemFromSetup,
  problemFromTransport,
  realtimeCall,
  type UpstreamProblem,
} from '@tollgate/relay'
import { nextAttempt } from '../../domain/retry-policy.ts'
import type { Outgoing } from '../../network/outgoing.ts'
import { failureOfRefusal } from '../../upstream/address-refusal.ts'
import type { FrameSocket } from '../../upstream/frame-socket.ts'
import { openProviderSession, type SessionOpening, SWITCHING } from '../../upstream/open-session.ts'
import { openTunnel } from '../../upstream/tunnel.ts'
import {
  classOf,
  type FailedAttempt,
  learnFrom,
  reasonOf,
  UNFINISHED,
} from '../attempts/attempts.ts'
import { allWait, endReasonOf, pickReportedFailure } from '../attempts/final-error.ts'
import { refund } from '../billing/settle-request.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayDeps } from '../context.ts'
import { upstreamRefusal } from '../errors.ts'
import type { AuthorizedRequest } from './session-access.ts'

export type Connected = {
  readonly target: PricedTarget
  readonly askedWith: AskedWith
  readonly socket: FrameSocket
}

type Asked = {
  readonly isPreview: boolean
  readonly isTranscription: boolean
  readonly isGone: () => boolean
}

/**
 * Opens a session at the first channel that accepts it. If none does, refunds the hold and throws a
 * refusal.
 */
export async function connect(
  deps: RelayDeps,
  reserved: AuthorizedRequest,
  asked: Asked,
): Promise<Connected> {
  const { limits, health, random } = deps
  const { terms } = reserved
  const until = performance.now() + limits.triesMs
  const failures: FailedAttempt[] = []
  const stillLive = () => deps.registry().stillLive(terms.targets)
  let candidates: readonly PricedTarget[] = terms.targets
  while (!asked.isGone()) {
    const next = nextAttempt({
      candidates,
      failures,
      retryTimes: terms.options.RetryTimes,
      msLeft: until - performance.now(),
      readyInMs: health.readyInMs,
      leftAloneMs: health.leftAloneMs,
      random,
    })
    if (next.type === 'give_up') break
    let target = next.channel
    if (next.afterMs > 0) {
      await pause(next.afterMs)
      candidates = stillLive()
      const asItIsNow = candidates.find(({ id }) => id === target.id)
      if (asItIsNow === undefined) continue
      target = asItIsNow
    }
    if (isOver(until)) break
    const tried = await tryChannel(deps, reserved, { target, asked, until })
    if ('socket' in tried) return tried
    failures.push(tried)
    candidates = stillLive()
  }
  return giveUp(deps, reserved, { failures, isGone: asked.isGone(), isLate: isOver(until) })
}

/** No session opens faster. The remaining time may also be the jitter of an early timer. */
const TRY_MS_LEAST = 10

const isOver = (until: number) => until - performance.now() < TRY_MS_LEAST

async function giveUp(
  deps: RelayDeps,
  reserved: AuthorizedRequest,
  {
    failures,
    isGone,
    isLate,
  }: { failures: readonly FailedAttempt[]; isGone: boolean; isLate: boolean },
): Promise<never> {
  const told = pickReportedFailure(failures)
  const { refusal, reason } =
    told === undefined
      ? { refusal: allWait(deps.health, reserved.terms.targets), reason: END_REASON.noChannel }
      : { refusal: upstreamRefusal(told.problem), reason: endReasonOf(told, isLate) }
  const endReason = isGone ? END_REASON.clientLeft : reason
  await refund(deps, reserved, { endReason, content: isGone ? '' : refusal.message })
  throw refusal
}

/** Applies the same rules for keys, health and the attempt log as other requests. */
async function tryChannel(
  { now, health, autoDisable, limits, upstream }: RelayDeps,
  { attempts }: AuthorizedRequest,
  { target, asked, until }: { target: PricedTarget; asked: Asked; until: number },
): Promise<Connected | FailedAttempt> {
  const startedAt = now()
  const { keys, baseUrl, proxy } = target.channel
  const key = keys.next(target.upstreamModel)
  const askedWith = { key, baseUrl, proxy }
  const probe = health.begin(target, 'stream')
  const line: Attempt = { channel: target.id, status: 0, reason: UNFINISHED, milliseconds: 0 }
  attempts.push(line)
  const write = (status: number, reason: string) =>
    Object.assign(line, {
      status,
      reason,
      milliseconds: Math.max(0, Math.round(now() - startedAt)),
    })
  const opening = await open(target, askedWith, {
    asked,
    outgoing: upstream.outgoing,
    limits: {
      ...upstream.limits,
      ...limits.realtime,
      connectMs: Math.min(upstream.limits.connectMs, until - performance.now()),
    },
  })
  if (opening.type === 'open') {
    probe.firstTokenReceived()
    probe.succeeded()
    write(SWITCHING, '')
    return { target, askedWith, socket: opening.socket }
  }
  const { problem, status } = opening
  write(status, reasonOf(problem))
  if (status === 0 && isOver(until)) {
    // The attempt was cut short by the overall deadline, so it says nothing about the channel.
    probe.dropped()
    return { channel: target, problem, class: 'passing', retryAfterMs: null }
  }
  const kind = classOf(problem, status)
  const learned = learnFrom({ autoDisable }, { target, key, probe }, { problem, status, kind })
  return { channel: target, problem, ...learned }
}

async function open(
  { channel, upstreamModel: model }: PricedTarget,
  askedWith: AskedWith,
  {
    asked,
    outgoing,
    limits,
  }: { asked: Asked; outgoing: Outgoing; limits: Parameters<typeof openProviderSession>[1] },
): Promise<SessionOpening> {
  const { descriptor, other, addressFault } = channel
  if (addressFault !== null) return unsent(problemFromSetup(addressFault))
  const { key, baseUrl, proxy } = askedWith
  const { isPreview, isTranscription } = asked
  const call = realtimeCall({ descriptor, baseUrl, other, key, model, isPreview, isTranscription })
  if (call === null) return unsent(problemFromSetup(CALL_DETAILS.noBaseUrl.en))
  const session = { ...call, askedWith }
  if (proxy === null) return openProviderSession({ ...session, tunnel: null }, limits, outgoing)
  const until = performance.now() + limits.connectMs
  const tunnel = await openTunnel({ proxy, address: call.url }, limits.connectMs, outgoing).catch(
    failureOfRefusal,
  )
  if (tunnel === null) {
    const detail = 'No session could be opened through the proxy.'
    return unsent({ ...problemFromTransport('connect'), detail })
  }
  if (typeof tunnel === 'string') return unsent(problemFromTransport(tunnel))
  const connectMs = Math.max(1, until - performance.now())
  return openProviderSession({ ...session, tunnel }, { ...limits, connectMs }, outgoing)
}

const unsent = (problem: UpstreamProblem): SessionOpening => ({
  type: 'failed',
  status: 0,
  problem,
})
