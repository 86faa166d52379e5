import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { UpstreamProblem } from '@tollgate/relay'
import type { Settings } from '../settings/settings.ts'
import { switchChannel } from '../store/channel-status.ts'
import type { Database } from '../store/database.ts'
import type { LiveChannel } from './directory.ts'

export type ChannelTrouble = {
  /**
   * Leaves a refused key out, and disables a channel whose last key or account is refused, in the
   * background, if the option says so.
   */
  report: (channel: LiveChannel, key: string, problem: UpstreamProblem) => void
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

type Deps = { database: Database; settings: Settings; log: Logger; now: () => number }

export function createChannelTrouble(deps: Deps): ChannelTrouble {
  const { settings, log } = deps
  const running = new Map<number, Promise<void>>()
  return {
    report: (channel, key, problem) => {
      if (!problem.namesKey || !channel.keys.refuse(key) || running.has(channel.id)) return
      if (!settings.current().AutomaticDisableChannelEnabled) return
      const writing = disable(deps, channel, problem.detail)
        .then(
          (disabled) => {
            const { detail: reason } = problem
            if (disabled) log.warn({ channel: channel.id, reason }, 'a channel was disabled')
          },
          (error: unknown) =>
            log.error({ error, channel: channel.id }, 'a channel could not be disabled'),
        )
        .finally(() => running.delete(channel.id))
      running.set(channel.id, writing)
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
