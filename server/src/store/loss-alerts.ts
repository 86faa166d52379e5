import type { Tx } from './database.ts'

export type LossAlert = { readonly day: number; readonly model: string; readonly channelId: number }

const DAYS_KEPT = 30

/** True for the first alert of the model and channel on this day, across all processes. */
export async function isFirstLossAlert(
  tx: Tx,
  { day, model, channelId }: LossAlert,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('loss_alerts')
    .values({ day, model_name: model, channel_id: channelId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  const isFirst = inserted.numInsertedOrUpdatedRows === 1n
  if (isFirst)
    await tx
      .deleteFrom('loss_alerts')
      .where('day', '<', day - DAYS_KEPT)
      .execute()
  return isFirst
}
