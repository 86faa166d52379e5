import type { ChannelOffer } from '@tollgate/relay'
import type { Candidate } from '../domain/retry-policy.ts'
import type { Directory, LiveChannel } from './directory.ts'
import { Refusal } from './refusal.ts'

/** A channel that may be tried for a request. */
export type Target = Candidate & { readonly channel: LiveChannel }

export type Route = {
  /** The group that serves and is billed. */
  readonly group: string
  readonly targets: readonly Target[]
  /** Its owner named the channel: nobody else is asked, and nothing is tried again. */
  readonly isPinned: boolean
}

type Asked = { model: string; endpoint: ChannelOffer }

/** The first of the groups, in their order, that has a live channel for the model; null when none has. */
export function findRoute(
  directory: Directory,
  groups: readonly string[],
  { model, endpoint }: Asked,
): Route | null {
  for (const group of groups) {
    const targets = directory
      .channels(group, model)
      .filter(({ descriptor }) => descriptor.supports.includes(endpoint))
      .map((channel) => targetOf(channel, model))
    if (targets.length > 0) return { group, targets, isPinned: false }
  }
  return null
}

/** The channel that an administrator named, whatever it serves to whom; throws a refusal. */
export function pinnedRoute(
  directory: Directory,
  { pinned, groups }: { pinned: string; groups: readonly string[] },
  { model, endpoint }: Asked,
): Route {
  const id = /^\d{1,15}$/.test(pinned) ? Number(pinned) : 0
  if (!directory.has(id)) {
    throw badChannel(400, 'channel_not_found', `There is no channel ${pinned.slice(0, 20)}.`)
  }
  const channel = directory.channel(id)
  if (channel === undefined) {
    throw badChannel(403, 'channel_disabled', `The channel ${id} is not enabled.`)
  }
  if (!channel.descriptor.supports.includes(endpoint)) {
    throw badChannel(400, 'channel_unfit', `The channel ${id} does not offer this endpoint.`)
  }
  const [group = 'default'] = groups
  return { group, targets: [targetOf(channel, model)], isPinned: true }
}

const badChannel = (status: number, code: string, message: string) =>
  new Refusal({ status, code, message })

const targetOf = (channel: LiveChannel, model: string): Target => ({
  channel,
  id: channel.id,
  priority: channel.priority,
  weight: channel.weight,
  upstreamModel: channel.mapping.get(model) ?? model,
})
