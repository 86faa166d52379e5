import type { Logger } from 'pino'
import { BALANCE_TYPES, isMoneyBalance } from '@tollgate/relay'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { findChannelToProbe, listChannelsReadBefore, updateChannel } from '../store/channels.ts'
import type { Database } from '../store/database.ts'
import { fetchStoredBalance } from '../upstream/balance.ts'
import type { Upstream } from '../upstream/send.ts'
import { startPeriodic } from './periodic.ts'

export type BalanceDeps = {
  database: Database
  settings: Settings
  secrets: Secrets
  upstream: Upstream
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

const MONEY_TYPES = BALANCE_TYPES.filter(isMoneyBalance)
const ROUND_MS = 600_000
const MAX_AGE_SECONDS = 3600
const CONCURRENCY = 4

/** While the alert rule for balances is on, reads them about once an hour. */
export const startReadingBalances = (deps: BalanceDeps): { stop: () => Promise<void> } =>
  startPeriodic({
    run: (signal) => readOldBalances(deps, signal),
    pauseMs: ROUND_MS,
    firstMs: ROUND_MS,
    log: deps.log,
    failure: 'the balances of channels cannot be read',
  })

/** One round. A balance that cannot be read keeps its value, and is asked for in the next round. */
export async function readOldBalances(deps: BalanceDeps, signal: AbortSignal): Promise<void> {
  const { database, settings } = deps
  if (settings.current().AlertBalanceBelow === 0) return
  const before = Math.floor(deps.now() / 1000) - MAX_AGE_SECONDS
  const old = await listChannelsReadBefore(database.kysely, { types: MONEY_TYPES, before })
  const queue = old.values()
  const work = async () => {
    for (const id of queue) {
      if (signal.aborted) return
      await readBalance(deps, id, signal)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

async function readBalance(deps: BalanceDeps, id: number, signal: AbortSignal): Promise<void> {
  const { database, log } = deps
  const channel = await findChannelToProbe(database.kysely, id)
  if (channel === undefined) return
  const result = await fetchStoredBalance(deps, channel, signal)
  if (signal.aborted || result.type === 'unsupported') return
  if (result.type === 'failed') {
    log.info({ channel: id, reason: result.reason }, 'a balance cannot be read')
    return
  }
  const balance_updated_time = Math.floor(deps.now() / 1000)
  await updateChannel(database.kysely, id, { balance: result.balance, balance_updated_time })
}
