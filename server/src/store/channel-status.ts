import { CHANNEL_STATUS } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { enqueue } from './outbox.ts'

/** What a channel was when it was tried. */
export type JudgedChannel = {
  readonly id: number
  readonly status: number
  readonly key_sealed: string
}

export type ChannelSwitch = { readonly event: 'disabled' | 'enabled'; readonly reason: string }

/**
 * Disables or enables a channel by itself and tells of it. False, and nothing done, when its status or
 * its key is no longer the one that was judged. `now` is epoch seconds.
 */
export async function switchChannel(
  tx: Tx,
  judged: JudgedChannel,
  { event, reason }: ChannelSwitch,
  now: number,
): Promise<boolean> {
  const isOff = event === 'disabled'
  const row = await tx
    .updateTable('channels')
    .set({
      status: isOff ? CHANNEL_STATUS.autoDisabled : CHANNEL_STATUS.enabled,
      status_reason: isOff ? reason : '',
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
  await enqueue(tx, { type: 'channel-alert', channel_id: judged.id, name, event, reason }, now)
  return true
}

/** The name of a channel whose operator is to be told now; undefined when that was done, or it is gone. */
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
