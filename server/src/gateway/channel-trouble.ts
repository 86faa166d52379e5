import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { UpstreamProblem } from '@tollgate/relay'
import type { Settings } from '../settings/settings.ts'
import { switchChannel } from '../store/channel-status.ts'
import type { Database } from '../store/database.ts'
import type { LiveChannel } from './directory.ts'

export type ChannelTrouble = {
  /**
   * Leaves out a key that is refused or limited, and disables a channel whose last key or account is
   * refused, in the background, if the option says so. True when another key may be used at once.
   */
  report: (channel: LiveChannel, key: string, problem: UpstreamProblem) => boolean
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

type Deps = { database: Database; settings: Settings; log: Logger; now: () => number }

export function createChannelTrouble(deps: Deps): ChannelTrouble {
  const { settings, log, now } = deps
  const running = new Map<number, Promise<void>>()
  const disableSoon = (channel: LiveChannel, reason: string) => {
    if (running.has(channel.id) || !settings.current().AutomaticDisableChannelEnabled) return
    const writing = disable(deps, channel, reason)
      .then(
        (disabled) => {
          if (disabled) log.warn({ channel: channel.id, reason }, 'a channel was disabled')
        },
        (error: unknown) =>
          log.error({ error, channel: channel.id }, 'a channel could not be disabled'),
      )
      .finally(() => running.delete(channel.id))
    running.set(channel.id, writing)
  }
  return {
    report: (channel, key, problem) => {
      const { keys } = channel
      if (problem.namesKey) {
        const isLast = keys.refuse(key, now())
        if (isLast) disableSoon(channel, problem.detail)
        return !isLast && keys.hasOther(key, now())
      }
      if (problem.kind !== 'rate_limit') return false
      keys.limit(key, now(), problem.retryAfterMs)
      return keys.hasOther(key, now())
    },
    settled: async () => {
      await Promise.all(running.values())
    },
  }
}

/** Only with the keys that were refused: they may have been replaced in the meantime. */
function disable(
  { database, now }: Deps,
  { id, keySealed }: LiveChannel,
  reason: string,
): Promise<boolean> {
  const judged = { id, status: CHANNEL_STATUS.enabled, key_sealed: keySealed }
  const nowSeconds = Math.floor(now() / 1000)
  return database.change((tx) =>
    switchChannel(tx, judged, { event: 'disabled', reason }, nowSeconds),
  )
}
