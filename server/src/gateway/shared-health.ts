import type { SharedHealth } from '../domain/channel-health.ts'
import type { RelayDeps } from './relay-deps.ts'

/** A test that passed also ends the waits of the channel's keys, or the next request would begin them again. */
export function shareHealth({
  health,
  directory,
}: Pick<RelayDeps, 'health' | 'directory'>): SharedHealth {
  return {
    view: health.view,
    passed: (tested, upstreamModel, milliseconds) => {
      health.passed(tested, upstreamModel, milliseconds)
      const channel = directory().channel(tested.id)
      if (channel?.keySealed === tested.key_sealed) channel.keys.lift(upstreamModel)
    },
  }
}
