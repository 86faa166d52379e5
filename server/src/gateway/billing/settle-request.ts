import type { EndReason } from '@tollgate/contract'
import { NO_USAGE, type Usage } from '@tollgate/relay'
import { basisOf, costOf, type Price } from '../../domain/price.ts'
import type { RequestEnd } from '../../ledger/ledger.ts'
import type { RelayDeps, SettlementContext } from '../context.ts'
import { countOptionsFor } from './counting.ts'
import { countOutput, type Metered } from './meter.ts'
import type { PricedTarget } from './terms.ts'

type EndDeps = Pick<RelayDeps, 'pendingSettlements' | 'clock' | 'autoDisable'>

type Charged = {
  /** The channel that finished the answer. */
  target: PricedTarget
  /** The price of the channel that started the answer. */
  price: Price
  metered: Metered
  /** The channel whose report was metered, if not `target`. */
  reporter?: PricedTarget
  /** The output that failover channels added. */
  failoverOutput?: readonly { price: Price; completionTokens: number }[]
  endReason: EndReason
  firstTokenMs: number
  upstreamModel: string
}

/**
 * Ends a request with a charge; the log row stores its basis. False if neither disk nor database
 * has stored the charge yet. In that case the whole answer must not be sent, because the charge
 * would be lost with this process.
 */
export async function charge(
  deps: EndDeps,
  context: SettlementContext,
  charged: Charged,
): Promise<boolean> {
  const { overruled, usage: counted } = charged.metered
  if (overruled !== undefined) {
    const { channel } = charged.reporter ?? charged.target
    deps.autoDisable.flagSuspectUsage(channel, { reported: overruled, counted })
  }
  if (context.unbilled.length > 0) await recordUnbilled(context, counted)
  return deps.pendingSettlements.track(settle(deps, context, charged))
}

function settle(
  deps: EndDeps,
  context: SettlementContext,
  { target, price, metered, failoverOutput = [], endReason, firstTokenMs, upstreamModel }: Charged,
): Promise<void> {
  const { terms, authorization } = context
  const basis = basisOf({
    usage: metered.usage,
    usageSource: metered.source,
    price,
    failoverParts: failoverOutput,
    group: terms.group,
    groupRatio: terms.groupRatio,
    held: authorization.hold.amount,
    overruled: metered.overruled,
  })
  context.admission.count(basis.prompt_tokens + basis.completion_tokens)
  return authorization.hold.settle({
    // Readers derive the content of a charge from its basis, in their own language.
    ...requestEndOf(deps, context, { endReason, content: '' }),
    firstTokenMs,
    upstreamModel,
    channel: target.id,
    cost: basis.cost,
    basis,
  })
}

/**
 * Every provider that was asked has read the prompt. Invisible output is assumed to be as long as
 * the output that was charged.
 */
async function recordUnbilled(
  { unbilled, terms, user }: SettlementContext,
  { promptTokens, ...paid }: Usage,
) {
  for (const { record, output, target } of unbilled) {
    const counting = { ...countOptionsFor(terms.options, user), model: target.upstreamModel }
    const completionTokens =
      output === null ? paid.completionTokens : await countOutput(output, counting)
    const used = { ...NO_USAGE, promptTokens, completionTokens }
    record.unbilled_prompt_tokens = promptTokens
    record.unbilled_completion_tokens = completionTokens
    record.unbilled_quota = costOf(used, target.price, 1)
  }
}

/** Ends a request without a charge. Returns the same as `charge`. */
export async function voidRequest(
  deps: EndDeps,
  context: SettlementContext,
  { used, ...reason }: { endReason: EndReason; content: string; used?: Usage | undefined },
): Promise<boolean> {
  if (used !== undefined) await recordUnbilled(context, used)
  const end = requestEndOf(deps, context, reason)
  return deps.pendingSettlements.track(context.authorization.hold.void(end))
}

function requestEndOf(
  { clock }: EndDeps,
  { arrivedAt, attempts, terms, client }: SettlementContext,
  { endReason, content }: { endReason: EndReason; content: string },
): RequestEnd {
  const channel = attempts.at(-1)?.channel ?? 0
  return {
    content,
    upstreamModel: terms.targets.find(({ id }) => id === channel)?.upstreamModel ?? '',
    channel,
    elapsedMs: clock.now() - arrivedAt,
    firstTokenMs: 0,
    endReason,
    disconnectPolicy: client.drains ? 'drain' : 'abort',
    attempts,
  }
}
