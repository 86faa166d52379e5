import type { RelayEndpoint } from '@tollgate/relay'
import type { Candidate } from '../domain/retry-policy.ts'
import type { Directory, LiveChannel } from './directory.ts'

/** A channel that may be tried for a request. */
export type Target = Candidate & { readonly channel: LiveChannel }

export type Route = {
  /** The group that serves and is billed. */
  readonly group: string
  readonly targets: readonly Target[]
}

/** The first of the groups, in their order, that has a live channel for the model; null when none has. */
export function findRoute(
  directory: Directory,
  groups: readonly string[],
  { model, endpoint }: { model: string; endpoint: RelayEndpoint },
): Route | null {
  for (const group of groups) {
    const targets = directory
      .channels(group, model)
      .filter(({ descriptor }) => descriptor.supports.includes(endpoint))
      .map((channel) => ({
        channel,
        id: channel.id,
        priority: channel.priority,
        weight: channel.weight,
        upstreamModel: channel.mapping.get(model) ?? model,
      }))
    if (targets.length > 0) return { group, targets }
  }
  return null
}
