import { AppError, CHANNEL_STATUS, moneyText } from '@tollgate/contract'
import { BALANCE_TYPES, detailInBoth, moneyBalance } from '@tollgate/relay'
import { switchChannel } from '../../store/channel-status.ts'
import { findChannelToProbe, listChannelIds, updateChannel } from '../../store/channels.ts'
import { emptyReason } from '../../text/channel-reason.ts'
import { type BalanceResult, fetchStoredBalance } from '../../upstream/balance.ts'
import { splitKeys } from '../../upstream/channel-keys.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorizeNow } from '../reauthorize.ts'
import type { BulkRun } from './bulk-run.ts'

type StoredChannel = NonNullable<Awaited<ReturnType<typeof findChannelToProbe>>>

/** Reads the balance from the provider with the channel's first key, and stores it. */
export async function updateBalance(
  deps: AdminDeps,
  context: CallerContext,
  id: number,
): Promise<number> {
  await reauthorizeNow(deps, context)
  const channel = await findChannelToProbe(deps.database.kysely, id)
  if (!channel) throw new AppError('channel_not_found')
  const result = await readBalance(deps, channel)
  if (result.type === 'unsupported') throw new AppError('balance_unsupported')
  if (result.type === 'failed') {
    throw new AppError('balance_failed', { reason: detailInBoth(result.reason) })
  }
  return result.balance
}

export async function updateBalances(
  deps: AdminDeps,
  context: CallerContext,
  run: BulkRun,
): Promise<void> {
  await reauthorizeNow(deps, context)
  const statuses = [CHANNEL_STATUS.enabled]
  await run.start({
    list: () => listChannelIds(deps.database.kysely, { statuses, types: BALANCE_TYPES }),
    each: (id, signal) => updateInRun(deps, id, signal),
  })
}

async function updateInRun(deps: AdminDeps, id: number, signal: AbortSignal): Promise<boolean> {
  const channel = await findChannelToProbe(deps.database.kysely, id)
  const wasDeleted = channel === undefined
  if (wasDeleted) return true
  const result = await readBalance(deps, channel, signal)
  if (result.type !== 'known') return false
  if (result.balance <= 0) await disableEmpty(deps, channel, result.balance)
  return true
}

async function readBalance(
  deps: AdminDeps,
  channel: StoredChannel,
  signal?: AbortSignal,
): Promise<BalanceResult> {
  const { database } = deps
  const result = await fetchStoredBalance(deps, channel, signal)
  if (result.type === 'known') {
    const { balance } = result
    const balance_updated_time = nowSeconds(deps)
    await updateChannel(database.kysely, channel.id, { balance, balance_updated_time })
  }
  return result
}

/**
 * Skips balances that are not money, and channels with several keys, of which only one was checked.
 */
async function disableEmpty(deps: AdminDeps, channel: StoredChannel, balance: number) {
  const { database, secrets, settings, log } = deps
  const money = moneyBalance(channel.type, balance)
  if (channel.status !== CHANNEL_STATUS.enabled || money === null) return
  if (!settings.current().AutomaticDisableChannelEnabled) return
  if (splitKeys(secrets.openChannelKey(channel.key_sealed)).length > 1) return
  const reason = emptyReason(`${moneyText(money.amount)} ${money.currency}`)
  const now = nowSeconds(deps)
  const switched = await database.change((tx) =>
    switchChannel(tx, channel, { event: 'disabled', reason }, now),
  )
  if (switched) log.warn({ channel: channel.id, reason }, 'a channel was disabled')
}
