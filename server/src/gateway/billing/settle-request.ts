import {
  type AttemptRecord,
  END_REASON,
  type EndReason,
  NANO_DOLLARS,
  type Quota,
  type Served,
} from '@tollgate/contract'
import { NO_USAGE, type Usage } from '@tollgate/relay'
import { basisOf, costOf, type FailoverOutput, type Price } from '../../domain/price.ts'
import type { RequestEnd } from '../../ledger/ledger.ts'
import type { RelayDeps, SettlementContext } from '../context.ts'
import { countOptionsFor } from './counting.ts'
import { countOutput, type Metered } from './meter.ts'
import { requestedServiceOf, costOfAttempts, recordUse } from './provider-use.ts'
import type { PricedTarget } from './terms.ts'

type EndDeps = Pick<RelayDeps, 'pendingSettlements' | 'clock' | 'autoDisable' | 'losses'>

type Charged = {
  /** The channel that finished the answer. */
  target: PricedTarget
  /** The price of the channel that started the answer. */
  price: Price
  metered: Metered
  /** The channel whose report was metered, if not `target`. */
  reporter?: PricedTarget
  /** The attempt whose report was metered, if not the last. */
  record?: AttemptRecord | undefined
  /** From the head of the answer, in nano-dollars. */
  reportedCost?: number | undefined
  /** The output that failover channels added. */
  failoverOutput?: readonly MeteredFailoverOutput[]
  /** How the provider that started the answer says it served it. */
  served?: Served | undefined
  endReason: EndReason
  firstTokenMs: number
  upstreamModel: string
}

export type MeteredFailoverOutput = FailoverOutput & {
  readonly record: AttemptRecord
  /** The channel's own report of the whole of what it wrote. */
  readonly reported: Usage | null
}

/**
 * Ends a request with a charge; the log row stores its basis. False if neither disk nor database
 * has stored the charge yet. In that case the whole answer must not be sent, because the charge
 * would be lost with this process.
 */
export function charge(
  deps: EndDeps,
  context: SettlementContext,
  charged: Charged,
): Promise<boolean> {
  const { overruled, usage: counted, billed = overruled ?? counted } = charged.metered
  const { reporter = charged.target, record = context.attempts.at(-1), failoverOutput } = charged
  if (overruled !== undefined) {
    deps.autoDisable.flagSuspectUsage(reporter.channel, { reported: overruled, counted })
  }
  const { reportedCost = billed.reportedCost, served } = charged
  if (record !== undefined) recordUse(record, reporter, { usage: billed, reportedCost, served })
  return context.unbilled.length === 0
    ? settleTracked(deps, context, charged)
    : recordUnbilled(context, counted, failoverOutput).then(() =>
        settleTracked(deps, context, charged),
      )
}

function settleTracked(deps: EndDeps, context: SettlementContext, charged: Charged) {
  recordReplaced(context, charged.metered.usage)
  return deps.pendingSettlements.track(settle(deps, context, charged))
}

function settle(deps: EndDeps, context: SettlementContext, charged: Charged): Promise<void> {
  const { authorization } = context
  const { target, endReason, firstTokenMs, upstreamModel } = charged
  const basis = basisFor(context, charged)
  reportLoss(deps, context, { charged, cost: basis.cost })
  context.admission.count(basis.prompt_tokens + basis.completion_tokens)
  const { cost } = basis
  return authorization.hold.settle({
    // Readers derive the content of a charge from its basis, in their own language.
    content: '',
    upstreamModel,
    channel: target.id,
    elapsedMs: deps.clock.now() - context.arrivedAt,
    firstTokenMs,
    endReason,
    disconnectPolicy: policyOf(context),
    attempts: context.attempts,
    providerCost: knownCost(endReason, context),
    cost,
    basis,
  })
}

/** By what the attempt cost that is charged. Hedges and failovers cost more than any price. */
function reportLoss(
  { losses }: EndDeps,
  { terms: { options }, attempts }: SettlementContext,
  { charged, cost: quota }: { readonly charged: Charged; readonly cost: Quota },
) {
  const { record = attempts.at(-1), failoverOutput = [], metered } = charged
  const isComparable = failoverOutput.length === 0 && metered.billed === undefined
  const { cost = 0, channel = 0, model = '' } = record ?? {}
  // A quotient would be rounded, and a charge equal to the cost would look like a loss.
  const isCovered = cost * options.QuotaPerUnit <= quota * NANO_DOLLARS
  if (!isComparable || isCovered) return
  losses.report({ model, channelId: channel, charge: quota / options.QuotaPerUnit, cost })
}

type Priced = Pick<Charged, 'price' | 'metered' | 'failoverOutput' | 'served'>

const basisFor = (
  { terms, authorization }: Pick<SettlementContext, 'terms' | 'authorization'>,
  { price, metered, failoverOutput = [], served }: Priced,
) =>
  basisOf({
    usage: metered.usage,
    usageSource: metered.source,
    price,
    failoverParts: failoverOutput,
    served,
    group: terms.group,
    groupRatio: terms.groupRatio,
    held: authorization.hold.amount,
    overruled: metered.overruled,
  })

/** The charge in dollars, for the caller; null unless callers learn what they pay. */
export function disclosedCharge(
  context: Pick<SettlementContext, 'terms' | 'authorization'>,
  priced: Priced,
): number | null {
  const { CostReportEnabled, QuotaPerUnit } = context.terms.options
  return CostReportEnabled ? basisFor(context, priced).cost / QuotaPerUnit : null
}

/**
 * Every provider that was asked has read the prompt. Invisible output is assumed to be as long as
 * the output that was charged.
 */
async function recordUnbilled(
  { unbilled, terms, user }: SettlementContext,
  { promptTokens, ...paid }: Usage,
  failoverOutput: readonly MeteredFailoverOutput[] = [],
) {
  for (const { record, output, target } of unbilled) {
    const counting = { ...countOptionsFor(terms.options, user), model: target.upstreamModel }
    const completionTokens =
      output === null ? paid.completionTokens : await countOutput(output, counting)
    const used = { ...NO_USAGE, promptTokens, completionTokens }
    record.unbilled_prompt_tokens = promptTokens
    record.unbilled_completion_tokens = completionTokens
    record.unbilled_quota = costOf(used, target.price, 1)
    const added = failoverOutput.find((part) => part.record === record)
    const billed = completionTokens + (added?.completionTokens ?? 0)
    const usage = added?.reported ?? { ...used, completionTokens: billed }
    recordUse(record, target, { usage, served: added?.served ?? requestedServiceOf(target) })
  }
}

/** The provider of a lost answer has read the prompt, and may have written all of the answer. */
function recordReplaced({ replaced }: SettlementContext, paid: Usage) {
  for (const { record, target, output } of replaced) {
    const { promptTokens } = paid
    const usage =
      output === null ? paid : { ...NO_USAGE, promptTokens, completionTokens: output(promptTokens) }
    recordUse(record, target, { usage, served: requestedServiceOf(target) })
  }
}

/** Ends a request without a charge. Returns the same as `charge`. */
export async function voidRequest(
  deps: EndDeps,
  context: SettlementContext,
  {
    used,
    broken,
    served,
    ...reason
  }: {
    endReason: EndReason
    content: string
    used?: Usage | undefined
    served?: Served | undefined
    /** The attempt whose answer brought nothing. Its provider has read the prompt. */
    broken?: { readonly record: AttemptRecord; readonly target: PricedTarget } | undefined
  },
): Promise<boolean> {
  if (used !== undefined) {
    if (broken !== undefined) {
      const { record, target } = broken
      recordUse(record, target, { usage: used, served: served ?? requestedServiceOf(target) })
    }
    await recordUnbilled(context, used)
    recordReplaced(context, used)
  }
  const end = { ...requestEndOf(deps, context, reason), group: context.terms.group }
  return deps.pendingSettlements.track(context.authorization.hold.void(end))
}

function requestEndOf(
  { clock }: EndDeps,
  context: SettlementContext,
  { endReason, content }: { endReason: EndReason; content: string },
): RequestEnd {
  const { arrivedAt, attempts, terms } = context
  const channel = attempts.at(-1)?.channel ?? 0
  return {
    content,
    upstreamModel: terms.targets.find(({ id }) => id === channel)?.upstreamModel ?? '',
    channel,
    elapsedMs: clock.now() - arrivedAt,
    firstTokenMs: 0,
    endReason,
    disconnectPolicy: policyOf(context),
    attempts,
    providerCost: knownCost(endReason, context),
  }
}

const policyOf = ({ client }: SettlementContext) => (client.drains ? 'drain' : 'abort')

/** A bug may have ended the request while its provider worked. */
const knownCost = (endReason: EndReason, { attempts }: SettlementContext): number | null =>
  endReason === END_REASON.internalError ? null : costOfAttempts(attempts)
