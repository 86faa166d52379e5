import { CHANNEL_STATUS, type RouteEntry, type RouteReason } from '@tollgate/contract'
import { descriptorOf, isServable } from '@tollgate/relay/catalogue'
import type { HealthView } from '../../domain/channel-health.ts'
import { mappedModel } from '../../domain/model-mapping.ts'
import { findPrice } from '../../domain/price.ts'
import { isWaitedFor, planTries } from '../../domain/route-plan.ts'
import { listOtherChannels, listRouteChannels } from '../../store/route-channels.ts'
import type { AdminDeps } from '../deps.ts'

const CANDIDATES_MAX = 500
const OTHERS_MAX = 100

type Candidate = Awaited<ReturnType<typeof listRouteChannels>>[number]
type Seen = Candidate & {
  upstreamModel: string
  /** Why the channel is never tried; empty if it is. */
  unable: RouteReason
  view: HealthView
  readyInMs: number
  leftAloneMs: number
}

/**
 * Lists which channels would serve a model to a group, as seen by this node, and why others would
 * not.
 */
export async function planRoute(
  { database: { kysely }, health, secrets, settings }: AdminDeps,
  wanted: { group: string; model: string },
): Promise<RouteEntry[]> {
  const candidates = await listRouteChannels(kysely, wanted, CANDIDATES_MAX)
  const others = await listOtherChannels(kysely, wanted, OTHERS_MAX)
  const options = settings.current()
  const seen = candidates.map((channel): Seen => {
    const upstreamModel = mappedModel(channel.model_mapping, wanted.model)
    const price = findPrice({ requested: wanted.model, mapped: upstreamModel, options })
    const unable = whyUnable(channel, secrets) || (price === null ? 'price_unset' : '')
    const view = health.view(channel, upstreamModel)
    const { readyInMs, leftAloneMs } = view
    return { ...channel, upstreamModel, unable, view, readyInMs, leftAloneMs }
  })
  const able = seen.filter(({ unable }) => unable === '')
  const tries = planTries(able, options.RetryTimes)
  const heaviest = new Map<number, number>()
  for (const { priority, weight, readyInMs } of able) {
    if (readyInMs === 0) heaviest.set(priority, Math.max(weight, heaviest.get(priority) ?? 0))
  }
  const asked = seen.map((channel) => ({
    ...shown(channel),
    upstream_model: channel.upstreamModel,
    ...(tries.get(channel.id) ?? { order: 0, chance: 0 }),
    reason:
      channel.unable ||
      (tries.has(channel.id)
        ? whyLater(channel, heaviest.get(channel.priority) ?? 0)
        : whyNever(channel)),
    ready_in: Math.round(channel.readyInMs),
    success_share: channel.view.successShare,
    first_token: channel.view.firstTokenMs === null ? null : Math.round(channel.view.firstTokenMs),
  }))
  const unasked = others.map((channel) => ({
    ...shown(channel),
    ...NOT_ASKED,
    reason: whyUnable(channel, secrets) || whyNotServing(channel),
  }))
  // Channels that are never tried come last.
  return [...asked.toSorted((a, b) => rank(a) - rank(b)), ...unasked]
}

const rank = ({ order }: { order: number }) => (order === 0 ? Infinity : order)

const NOT_ASKED = {
  upstream_model: '',
  order: 0,
  chance: 0,
  ready_in: 0,
  success_share: null,
  first_token: null,
} as const

const shown = ({ id, name, type, priority, weight }: Candidate) => ({
  id,
  name,
  type,
  priority,
  weight,
})

function whyUnable(
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

const whyNever = (channel: Seen): RouteReason =>
  isWaitedFor(channel) ? 'no_tries_left' : 'left_alone'

/** `heaviest` is the largest weight in the channel's tier, cooling channels excluded. */
function whyLater({ view, weight, readyInMs }: Seen, heaviest: number): RouteReason {
  if (readyInMs > 0) return view.state === 'probing' ? 'probing' : 'cooling'
  return weight === 0 && heaviest > 0 ? 'weight_zero' : ''
}

const whyNotServing = ({ serves_model }: { serves_model: unknown }): RouteReason =>
  serves_model === true || serves_model === 1 ? 'group_not_served' : 'model_not_served'
