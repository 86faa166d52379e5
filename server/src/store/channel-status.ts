import { CHANNEL_STATUS } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { enqueue } from './outbox.ts'

/** The channel's state when it was judged. */
export type JudgedChannel = {
  readonly id: number
  readonly status: number
  readonly key_sealed: string
}

export type ChannelSwitch = {
  readonly event: 'disabled' | 'enabled'
  readonly reason: string
  /** Absent if the reason quotes a provider. */
  readonly reason_zh?: string
}

/**
 * Auto-disables or enables a channel and enqueues an alert. Does nothing and returns false if the
 * channel's status or key has changed since it was judged. `now` is in epoch seconds.
 */
export async function switchChannel(
  tx: Tx,
  judged: JudgedChannel,
  { event, ...reasons }: ChannelSwitch,
  now: number,
): Promise<boolean> {
  const isOff = event === 'disabled'
  const row = await tx
    .updateTable('channels')
    .set({
      status: isOff ? CHANNEL_STATUS.autoDisabled : CHANNEL_STATUS.enabled,
      status_reason: isOff ? reasons.reason : '',
      status_time: now,
      misreported: 0,
    })
    .where('id', '=', judged.id)
    .where('status', '=', judged.status)
    .where('key_sealed', '=', judged.key_sealed)
    .returning('name')
    .executeTakeFirst()
  if (row === undefined) return false
  const { name } = row
  const about = { channel_id: judged.id, name, event, ...reasons }
  await enqueue(tx, { type: 'channel-alert', ...about }, now)
  return true
}

/**
 * Marks the channel as misreporting and returns its name, so that the caller alerts the operator
 * once. Undefined if the channel was marked before or no longer exists.
 */
export async function noteMisreport(tx: Tx, id: number): Promise<string | undefined> {
  const row = await tx
    .updateTable('channels')
    .set({ misreported: 1 })
    .where('id', '=', id)
    .where('misreported', '=', 0)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}
