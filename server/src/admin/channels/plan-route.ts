import { CHANNEL_STATUS, type RouteEntry, type RouteReason } from '@tollgate/contract'
import { readChannelSettings } from '@tollgate/contract/channel-settings'
import { descriptorOf, isServable } from '@tollgate/relay/catalogue'
import type { HealthView } from '../../domain/channel-health.ts'
import { findPrice, groupRatioOf, type PricedOptions } from '../../domain/find-price.ts'
import { costRankOf, lossOf } from '../../domain/margin.ts'
import { mappedModel } from '../../domain/model-mapping.ts'
import type { Price } from '../../domain/price.ts'
import { providerPriceOf } from '../../domain/provider-cost.ts'
import { canAwaitRetry, planAttempts } from '../../domain/route-plan.ts'
import { listOtherChannels, listRouteChannels } from '../../store/route-channels.ts'
import type { AdminDeps } from '../deps.ts'

const CANDIDATES_MAX = 500
const OTHERS_MAX = 100

type Candidate = Awaited<ReturnType<typeof listRouteChannels>>[number]
type JudgedCandidate = Candidate & {
  upstreamModel: string
  /** Why the channel is never tried; empty if it is. */
  exclusion: RouteReason
  view: HealthView
  cooldownMs: number
  retryAfterMs: number
  costRank?: number
}

/**
 * Lists which channels would serve a model to a group, as seen by this node, and why others would
 * not.
 */
export async function planRoute(
  { database: { kysely }, health, sessions, secrets, settings }: AdminDeps,
  target: { group: string; model: string },
): Promise<RouteEntry[]> {
  const candidates = await listRouteChannels(kysely, target, CANDIDATES_MAX)
  const otherChannels = await listOtherChannels(kysely, target, OTHERS_MAX)
  const options = settings.current()
  const judged = candidates.map((channel): JudgedCandidate => {
    const upstreamModel = mappedModel(channel.model_mapping, target.model)
    const price = findPrice({ requested: target.model, mapped: upstreamModel, options })
    const { costRank, isAtLoss } = economics(channel, { ...target, upstreamModel, price, options })
    const unsold: RouteReason = isAtLoss ? 'at_loss' : ''
    const exclusion = exclusionReason(channel, secrets) || (price === null ? 'price_unset' : unsold)
    const view = health.view(channel, upstreamModel)
    const { cooldownMs, retryAfterMs } = view
    const judgement = { upstreamModel, exclusion, view, cooldownMs, retryAfterMs }
    return { ...channel, ...judgement, ...(costRank === null ? {} : { costRank }) }
  })
  const eligible = judged.filter(({ exclusion }) => exclusion === '')
  const plan = planAttempts(eligible, options.RetryTimes)
  const topWeights = new Map<number, number>()
  for (const { priority, weight, cooldownMs } of eligible) {
    if (cooldownMs === 0) topWeights.set(priority, Math.max(weight, topWeights.get(priority) ?? 0))
  }
  const bound = sessions(target.model)
  const planned = judged.map((channel) => ({
    ...presentCandidate(channel),
    upstream_model: channel.upstreamModel,
    ...(plan.get(channel.id) ?? { order: 0, chance: 0 }),
    reason:
      channel.exclusion ||
      (plan.has(channel.id)
        ? delayReason(channel, topWeights.get(channel.priority) ?? 0)
        : unplannedReason(channel)),
    ready_in: Math.round(channel.cooldownMs),
    success_share: channel.view.successShare,
    first_token: channel.view.firstTokenMs === null ? null : Math.round(channel.view.firstTokenMs),
    sessions: bound.get(channel.id) ?? 0,
  }))
  const unplanned = otherChannels.map((channel) => ({
    ...presentCandidate(channel),
    ...NO_HEALTH,
    reason: exclusionReason(channel, secrets) || mismatchReason(channel),
  }))
  // Channels that are never tried come last.
  return [...planned.toSorted((a, b) => rank(a) - rank(b)), ...unplanned]
}

/** What the options make of the channel's cost. */
function economics(
  { config }: Pick<Candidate, 'config'>,
  sold: {
    group: string
    model: string
    upstreamModel: string
    price: Price | null
    options: PricedOptions
  },
) {
  const { price, options } = sold
  const { NeverSellAtLoss, CheapestChannelFirst, QuotaPerUnit: quotaPerUnit } = options
  const { cost = {} } = readChannelSettings(config)
  const provider = providerPriceOf([sold.upstreamModel, sold.model], cost, options.prices)
  const groupRatio = groupRatioOf(sold.group, options)
  const isKnown = provider !== null && price !== null
  const isLoss = isKnown && lossOf({ price, groupRatio, quotaPerUnit }, provider) !== null
  return {
    isAtLoss: NeverSellAtLoss && isLoss,
    costRank: CheapestChannelFirst ? costRankOf(provider) : null,
  }
}

const rank = ({ order }: { order: number }) => (order === 0 ? Infinity : order)

const NO_HEALTH = {
  upstream_model: '',
  order: 0,
  chance: 0,
  ready_in: 0,
  success_share: null,
  first_token: null,
  sessions: 0,
} as const

const presentCandidate = ({ id, name, type, priority, weight }: Candidate) => ({
  id,
  name,
  type,
  priority,
  weight,
})

function exclusionReason(
  { status, type, key_sealed }: Pick<Candidate, 'status' | 'type' | 'key_sealed'>,
  secrets: AdminDeps['secrets'],
): RouteReason {
  if (status === CHANNEL_STATUS.autoDisabled) return 'auto_disabled'
  if (status !== CHANNEL_STATUS.enabled) return 'disabled'
  const isServed = isServable(type) && descriptorOf(type)?.supports.includes('chat') === true
  if (!isServed) return 'type_unserved'
  return isReadable(key_sealed, secrets) ? '' : 'key_unreadable'
}

/** False if the key was sealed with a different secret than this server's. */
function isReadable(keySealed: string, { openChannelKey }: AdminDeps['secrets']): boolean {
  try {
    openChannelKey(keySealed)
    return true
  } catch {
    return false
  }
}

const unplannedReason = (channel: JudgedCandidate): RouteReason =>
  canAwaitRetry(channel) ? 'no_tries_left' : 'left_alone'

/** `heaviest` is the largest weight in the channel's tier, cooling channels excluded. */
function delayReason({ view, weight, cooldownMs }: JudgedCandidate, heaviest: number): RouteReason {
  if (cooldownMs > 0) return view.state === 'probing' ? 'probing' : 'cooling'
  return weight === 0 && heaviest > 0 ? 'weight_zero' : ''
}

const mismatchReason = ({ serves_model }: { serves_model: unknown }): RouteReason =>
  serves_model === true || serves_model === 1 ? 'group_not_served' : 'model_not_served'
