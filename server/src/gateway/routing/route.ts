import { type ChannelOffer, descriptorFor, type RelayRequest, takesNative } from '@tollgate/relay'
import type { RelayDeps } from '../context.ts'
import { badRequest, Refusal } from '../errors.ts'
import type { Caller } from '../intake/authenticate.ts'
import type { LimitedCaller } from '../rate-limits/limit-store.ts'
import {
  type ChannelRegistry,
  type LiveChannel,
  type Target,
  targetOf,
} from './channel-registry.ts'

export type Route = {
  /** The group that serves the request and is billed. */
  readonly group: string
  readonly targets: readonly Target[]
  /** The targets are those of the registry, because the request's content rules none out. */
  readonly isUsual: boolean
  /** The key names its channel: no other channel is tried and nothing is retried. */
  readonly isPinned: boolean
}

/** A route to a single target that another route has led to. */
export const routeTo = (route: Route, target: Target): Route => ({
  ...route,
  targets: [target],
  isUsual: false,
})

export type RoutedRequest = Pick<RelayRequest, 'model' | 'native'> &
  Partial<Pick<RelayRequest, 'outline'>> & { readonly endpoint: ChannelOffer }

/**
 * The channels to try; null if there are none. Throws a refusal if only the request's content or
 * its key rules them out.
 */
export function routeOf(
  { registry }: Pick<RelayDeps, 'registry'>,
  { user, pinned }: Caller,
  request: RoutedRequest,
): Route | null {
  const { groups } = user
  if (pinned === null) return findRoute(registry(), groups, request)
  return pinnedRoute(registry(), { pinned, groups }, request)
}

/** Without a route, the limits of the caller's first group apply. */
export function limitedCaller({ user, token }: Caller, route: Route | null): LimitedCaller {
  const [first = 'default'] = user.groups
  return { user: user.id, token: token.id, group: route?.group ?? first }
}

/**
 * Returns the first group, in order, with an enabled channel for the model, the endpoint and the
 * request's content; null if there is none. Throws a refusal if only the content rules channels
 * out.
 */
function findRoute(
  registry: ChannelRegistry,
  groups: readonly string[],
  request: RoutedRequest,
): Route | null {
  const { model, endpoint, native } = request
  const isUsual = (native?.obstacle ?? null) === null && native?.isLossy !== true
  let isRefused = false
  for (const group of groups) {
    const candidates = registry.targets(group, model, endpoint)
    const targets = isUsual
      ? candidates
      : candidates
          .map((target) => rankedTarget(target, request))
          .filter((target) => canExpress(request, target))
    if (targets.length > 0) return { group, targets, isUsual, isPinned: false }
    isRefused ||= candidates.length > 0
  }
  if (isRefused && native?.obstacle) throw badRequest(native.obstacle)
  return null
}

/** Whether the channel speaks the client's dialect to its provider. */
export function sharesDialect(
  { endpoint, native, outline = {} }: RoutedRequest,
  channel: LiveChannel,
  upstreamModel: string,
): boolean {
  if (native === undefined || endpoint === 'realtime') return false
  const { dialect } = descriptorFor(channel, { endpoint, native, outline }, upstreamModel)
  return native.dialect === dialect && takesNative(channel, { native }, upstreamModel)
}

/** Whether the channel's provider can express the request. */
const canExpress = (request: RoutedRequest, { channel, upstreamModel }: Target) =>
  (request.native?.obstacle ?? null) === null || sharesDialect(request, channel, upstreamModel)

/** The channel an administrator's key names, regardless of models and groups. Throws a refusal. */
function pinnedRoute(
  registry: ChannelRegistry,
  { pinned, groups }: { pinned: string; groups: readonly string[] },
  request: RoutedRequest,
): Route {
  const { endpoint, native } = request
  const id = /^\d{1,15}$/.test(pinned) ? Number(pinned) : 0
  if (!registry.has(id)) {
    throw badChannel(400, 'channel_not_found', `There is no channel ${pinned.slice(0, 20)}.`)
  }
  const channel = registry.channel(id)
  if (channel === undefined) {
    throw badChannel(403, 'channel_disabled', `The channel ${id} is not enabled.`)
  }
  if (!channel.descriptor.supports.includes(endpoint)) {
    throw badChannel(400, 'channel_unfit', `The channel ${id} does not offer this endpoint.`)
  }
  const target = rankedTarget(targetOf(channel, request.model), request)
  if (native?.obstacle && !canExpress(request, target)) throw badRequest(native.obstacle)
  const [group = 'default'] = groups
  return { group, targets: [target], isUsual: false, isPinned: true }
}

const badChannel = (status: number, code: string, message: string) =>
  new Refusal({ status, code, message })

/** Channels that keep the whole request rank above channels that would lose part of it. */
const LOSSLESS_FIRST = 2 ** 40

function rankedTarget(target: Target, request: RoutedRequest): Target {
  const { channel, priority, upstreamModel } = target
  const isLossless =
    request.native?.isLossy === true && sharesDialect(request, channel, upstreamModel)
  return isLossless ? { ...target, priority: priority + LOSSLESS_FIRST } : target
}
