import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { UpstreamProblem, Usage } from '@tollgate/relay'
import type { Settings } from '../settings/settings.ts'
import { noteMisreport, switchChannel } from '../store/channel-status.ts'
import type { Database, Tx } from '../store/database.ts'
import { enqueue } from '../store/outbox.ts'
import type { LiveChannel } from './directory.ts'
import type { Place } from './health.ts'

export type ChannelTrouble = {
  /**
   * Leaves out a key that is refused, or for a model limited, and disables a channel whose last key or account is
   * refused, in the background, if the option says so. True when another key may be used at once.
   */
  report: (place: Place, key: string, problem: UpstreamProblem) => boolean
  /** It reported tokens that its answer cannot have had: its operator is told, once until the channel is another. */
  doubt: (channel: LiveChannel, reported: Usage) => void
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

type Deps = { database: Database; settings: Settings; log: Logger; now: () => number }

export function createChannelTrouble(deps: Deps): ChannelTrouble {
  const { settings, log } = deps
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
  const doubts = new Doubts(deps)
  return {
    report: ({ channel, upstreamModel }, key, problem) => {
      const { keys } = channel
      if (problem.namesKey) {
        const isLast = keys.refuse(key)
        if (isLast) disableSoon(channel, problem.detail)
        return !isLast && keys.hasOther(key, upstreamModel)
      }
      if (problem.kind !== 'rate_limit') return false
      keys.limit(key, upstreamModel, problem.retryAfterMs)
      return keys.hasOther(key, upstreamModel)
    },
    doubt: (channel, reported) => doubts.tell(channel, reported),
    settled: async () => {
      await Promise.all([...running.values(), doubts.told()])
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

/** Channels whose reports were not believed, and whose operator has been told of it. */
class Doubts {
  readonly #deps: Deps
  /** Here; the database knows it of all processes. */
  readonly #told = new WeakSet<LiveChannel>()
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  tell(channel: LiveChannel, { promptTokens, completionTokens }: Usage) {
    if (this.#told.has(channel)) return
    this.#told.add(channel)
    const { database, log, now } = this.#deps
    const { id } = channel
    const reason = `${promptTokens} tokens of prompt and ${completionTokens} of output for one request`
    const write = async (tx: Tx) => {
      const name = await noteMisreport(tx, id)
      if (name === undefined) return
      log.warn({ channel: id, reason }, 'a report of usage was not believed')
      const about = { channel_id: id, name, event: 'misreported', reason } as const
      await enqueue(tx, { type: 'channel-alert', ...about }, Math.floor(now() / 1000))
    }
    this.#writing = this.#writing
      .then(() => database.transaction(write))
      .catch((error: unknown) => {
        this.#told.delete(channel)
        log.error({ error, channel: id }, 'an alert could not be written')
      })
  }

  /** Resolves when nothing is left to write. */
  told(): Promise<void> {
    return this.#writing
  }
}
