import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { isServable } from '@tollgate/relay/catalogue'
import { judgeTest } from '../domain/test-verdict.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { switchChannel } from '../store/channel-status.ts'
import { claimTest, findChannelToProbe, listChannelsOff, noteTest } from '../store/channels.ts'
import type { Database } from '../store/database.ts'
import { isDatabaseAway } from '../store/failures.ts'
import { probeStored } from '../upstream/probe-stored.ts'
import type { Upstream } from '../upstream/send.ts'
import type { ClaimDeps } from './claims.ts'
import { startPeriodic } from './periodic.ts'

export type ReviveDeps = ClaimDeps & {
  database: Database
  settings: Settings
  secrets: Secrets
  upstream: Upstream
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

const CHECK_INTERVAL_MS = 15_000
const CONCURRENCY = 4
/**
 * The pause between tests is a quarter of the time the channel has been off, within these limits.
 */
const OFF_TIME_DIVISOR = 4
const PAUSE_SECONDS_MIN = 60
const PAUSE_SECONDS_MAX = 1800

/** Tests auto-disabled channels and enables those that pass, while the options allow it. */
export const startReviving = (
  deps: ReviveDeps,
  { lookMs = CHECK_INTERVAL_MS } = {},
): { stop: () => Promise<void> } =>
  startPeriodic({
    run: (signal) => reviveDue(deps, signal),
    pauseMs: lookMs,
    firstMs: lookMs,
    log: deps.log,
    failure: 'disabled channels cannot be tested',
  })

/** One round: tests every channel that is due, `CONCURRENCY` at a time. */
export async function reviveDue(deps: ReviveDeps, signal: AbortSignal): Promise<void> {
  const { database, settings, log } = deps
  if (!settings.current().AutomaticEnableChannelEnabled) return
  const now = nowSeconds(deps)
  const off = await listChannelsOff(database.kysely)
  const queue = off.filter((channel) => isDue(channel, now)).values()
  const work = async () => {
    for (const due of queue) {
      const { id } = due
      if (signal.aborted) return
      if (!(await claimTest(database.kysely, due, now))) continue
      deps.claimed?.('channel_tests')
      await testAndRevive(deps, id, signal).catch((error: unknown) => {
        if (isDatabaseAway(error)) throw error
        log.warn({ error, channel: id }, 'a disabled channel cannot be tested')
      })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

function isDue(
  { status_time, test_time }: { status_time: number; test_time: number },
  now: number,
): boolean {
  // A time in the future was written by a clock that was ahead, and is ignored.
  const offSince = status_time > now ? 0 : status_time
  const testedAt = test_time > now ? 0 : test_time
  const share = (now - offSince) / OFF_TIME_DIVISOR
  const pause = Math.min(PAUSE_SECONDS_MAX, Math.max(PAUSE_SECONDS_MIN, share))
  return now - Math.max(offSince, testedAt) >= pause
}

async function testAndRevive(deps: ReviveDeps, id: number, signal: AbortSignal): Promise<void> {
  const { database, settings, log } = deps
  const channel = await findChannelToProbe(database.kysely, id)
  if (channel?.status !== CHANNEL_STATUS.autoDisabled || !isServable(channel.type)) return
  const result = await probeStored(deps, channel, { signal })
  if (signal.aborted) return
  const now = nowSeconds(deps)
  await noteTest(database.kysely, channel, result, now)
  const tested = { ...result, status: channel.status, lastMs: channel.response_time }
  const verdict = judgeTest(tested, settings.current())
  if (verdict?.event !== 'enabled') return
  const enabled = { event: 'enabled', reason: '' } as const
  const switched = await database.change((tx) => switchChannel(tx, channel, enabled, now))
  if (switched) log.info({ channel: id }, 'a disabled channel was enabled again')
}

const nowSeconds = ({ now }: ReviveDeps) => Math.floor(now() / 1000)
