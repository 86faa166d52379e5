import type { Attempt } from '@tollgate/contract'
import type { RelayRequest } from '@tollgate/relay'
import { basisOf } from '../domain/price.ts'
import type { RequestEnd } from '../ledger/ledger.ts'
import type { Caller } from './authenticate.ts'
import type { EndReason } from './end-reason.ts'
import type { Metered } from './meter.ts'
import type { Arrival, RelayDeps } from './relay-deps.ts'
import type { PricedTarget, Reservation, Terms } from './reserve.ts'

/** A request that holds its money. */
export type Job = Arrival & {
  readonly caller: Caller
  readonly asked: RelayRequest
  readonly terms: Terms
  readonly reservation: Reservation
  /** Grows with every try. */
  readonly attempts: Attempt[]
}

type Charged = {
  target: PricedTarget
  metered: Metered
  endReason: EndReason
  firstTokenMs: number
  upstreamModel: string
}

/** Ends a request with a charge; the log row says what it was computed from. */
export async function charge(deps: RelayDeps, job: Job, charged: Charged): Promise<void> {
  const { closing, authenticate } = deps
  const { terms, reservation, caller } = job
  const { target, metered, endReason, firstTokenMs, upstreamModel } = charged
  const basis = basisOf({
    usage: metered.usage,
    usageSource: metered.source,
    price: target.price,
    group: terms.group,
    groupRatio: terms.groupRatio,
    held: reservation.hold.amount,
  })
  const { model_ratio, completion_ratio, group_ratio } = basis
  const content = `model ratio ${model_ratio}, completion ratio ${completion_ratio}, group ratio ${group_ratio}`
  const end = { ...endOf(deps, job, { endReason, content }), firstTokenMs, upstreamModel }
  const settlement = { ...end, channel: target.id, cost: basis.cost, basis }
  const settled = await closing.close(() => reservation.hold.settle(settlement))
  if (settled?.tokenExhausted === true) authenticate.forget(caller.keyHash)
}

/** Ends a request that costs nothing. */
export async function giveBack(
  deps: RelayDeps,
  job: Job,
  why: { endReason: EndReason; content: string },
): Promise<void> {
  const end = endOf(deps, job, why)
  await deps.closing.close(() => job.reservation.hold.void(end))
}

function endOf(
  { now }: RelayDeps,
  { arrivedAt, attempts, terms }: Job,
  { endReason, content }: { endReason: EndReason; content: string },
): RequestEnd {
  const channel = attempts.at(-1)?.channel ?? 0
  return {
    content,
    upstreamModel: terms.targets.find(({ id }) => id === channel)?.upstreamModel ?? '',
    channel,
    elapsedMs: now() - arrivedAt,
    firstTokenMs: 0,
    endReason,
    attempts,
  }
}
