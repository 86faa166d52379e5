import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { PlannedPricesTable } from './price-schema.ts'
import type { Schema } from './schema.ts'

/** The earliest day first. */
export const listPlannedPrices = (db: Kysely<Schema>) =>
  db.selectFrom('planned_prices').selectAll().orderBy('from_day').orderBy('model').execute()

export async function writePlannedPrice(tx: Tx, row: PlannedPricesTable): Promise<void> {
  await tx
    .insertInto('planned_prices')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['model', 'from_day']).doUpdateSet({ price: row.price }),
    )
    .execute()
}

/** Deletes those of one model, or only those that have begun by `day`. */
export async function deletePlannedPrices(
  tx: Tx,
  { model, day }: { model: string; day?: string },
): Promise<void> {
  await tx
    .deleteFrom('planned_prices')
    .where('model', '=', model)
    .$if(day !== undefined, (query) => query.where('from_day', '<=', day ?? ''))
    .execute()
}
