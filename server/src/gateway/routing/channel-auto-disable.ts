import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { detailInBoth, type UpstreamProblem, type Usage } from '@tollgate/relay'
import type { Settings } from '../../settings/settings.ts'
import { noteMisreport, switchChannel } from '../../store/channel-status.ts'
import type { Database, Tx } from '../../store/database.ts'
import { enqueue } from '../../store/outbox.ts'
import type { LiveChannel } from './channel-registry.ts'
import type { ChannelModel } from './health.ts'

export type ChannelAutoDisable = {
  /**
   * Cools down the key if the provider refused it, or limited it for a model. Disables the channel
   * in the background if its last key or its account is refused and the option allows it. Returns
   * true if another key can be used at once.
   */
  report: (channelModel: ChannelModel, key: string, problem: UpstreamProblem) => boolean
  /**
   * Records that the channel reported implausible token usage. The operator is alerted once across
   * all processes, until the channel is edited or its status changes.
   */
  flagSuspectUsage: (channel: LiveChannel, usage: SuspectUsage) => void
  /** Resolves when all pending writes are done. */
  flushed: () => Promise<void>
}

export type SuspectUsage = { readonly reported: Usage; readonly counted: Usage }

type Deps = { database: Database; settings: Settings; log: Logger; now: () => number }

export function createChannelAutoDisable(deps: Deps): ChannelAutoDisable {
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
  const suspects = new SuspectReports(deps)
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
    flagSuspectUsage: (channel, usage) => suspects.report(channel, usage),
    flushed: async () => {
      await Promise.all([...running.values(), suspects.flushed()])
    },
  }
}

/**
 * Applies only while the channel still has the refused keys; they may have been replaced meanwhile.
 */
function disable(
  { database, now }: Deps,
  { id, keySealed }: LiveChannel,
  reason: string,
): Promise<boolean> {
  const expected = { id, status: CHANNEL_STATUS.enabled, key_sealed: keySealed }
  const nowSeconds = Math.floor(now() / 1000)
  const { zh: reason_zh } = detailInBoth(reason)
  const reasons = { reason, ...(reason_zh !== reason && { reason_zh }) }
  return database.change((tx) =>
    switchChannel(tx, expected, { event: 'disabled', ...reasons }, nowSeconds),
  )
}

class SuspectReports {
  readonly #deps: Deps
  /** Only in this process; the database deduplicates across processes. */
  readonly #reported = new WeakSet<LiveChannel>()
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  report(channel: LiveChannel, usage: SuspectUsage) {
    if (this.#reported.has(channel)) return
    this.#reported.add(channel)
    const { database, log, now } = this.#deps
    const { id } = channel
    const reasons = reasonsOf(usage)
    const write = async (tx: Tx) => {
      const name = await noteMisreport(tx, id)
      if (name === undefined) return
      log.warn({ channel: id, reason: reasons.reason }, 'an implausible usage report was overruled')
      const about = { channel_id: id, name, event: 'misreported', ...reasons } as const
      await enqueue(tx, { type: 'channel-alert', ...about }, Math.floor(now() / 1000))
    }
    this.#writing = this.#writing
      .then(() => database.transaction(write))
      .catch((error: unknown) => {
        this.#reported.delete(channel)
        log.error({ error, channel: id }, 'an alert could not be written')
      })
  }

  flushed(): Promise<void> {
    return this.#writing
  }
}

function reasonsOf({ reported, counted }: SuspectUsage) {
  const text = (tokens: number) => tokens.toLocaleString('en-US')
  const [prompt, completion] = [text(reported.promptTokens), text(reported.completionTokens)]
  const [ourPrompt, ourCompletion] = [text(counted.promptTokens), text(counted.completionTokens)]
  return {
    reason:
      `The provider reported ${prompt} prompt and ${completion} completion tokens for one request; ` +
      `${ourPrompt} and ${ourCompletion} were counted and charged.`,
    reason_zh:
      `服务商对一次请求报告提示 ${prompt} tokens、补全 ${completion} tokens；` +
      `本站实际计得提示 ${ourPrompt} tokens、补全 ${ourCompletion} tokens，并按此计费。`,
  }
}
