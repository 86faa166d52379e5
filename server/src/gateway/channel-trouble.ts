import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { UpstreamProblem } from '@tollgate/relay'
import type { Settings } from '../settings/settings.ts'
import type { Database } from '../store/database.ts'
import type { LiveChannel } from './directory.ts'

export type ChannelTrouble = {
  /** Disables a channel whose key or account is refused, in the background, if the option says so. */
  report: (channel: LiveChannel, problem: UpstreamProblem) => void
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

export function createChannelTrouble({
  database,
  settings,
  log,
}: {
  database: Database
  settings: Settings
  log: Logger
}): ChannelTrouble {
  const running = new Map<number, Promise<void>>()
  return {
    report: (channel, problem) => {
      if (!problem.namesKey || running.has(channel.id)) return
      if (!settings.current().AutomaticDisableChannelEnabled) return
      const writing = disable(database, channel, problem.detail)
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

/** Only with the key that was refused: it may have been replaced in the meantime. */
async function disable(
  database: Database,
  { id, keySealed }: LiveChannel,
  reason: string,
): Promise<boolean> {
  return database.change(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('channels')
      .set({ status: CHANNEL_STATUS.autoDisabled, status_reason: reason })
      .where('id', '=', id)
      .where('status', '=', CHANNEL_STATUS.enabled)
      .where('key_sealed', '=', keySealed)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  })
}
