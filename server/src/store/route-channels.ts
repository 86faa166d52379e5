import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>
type Wanted = { group: string; model: string }

const columns = (db: Db) =>
  db
    .selectFrom('channels')
    .select(['id', 'type', 'name', 'status', 'priority', 'weight', 'model_mapping'])
    .select(['key_sealed', 'base_url', 'status_time'])

const idsOf = (db: Db, { group, model }: Wanted) =>
  db
    .selectFrom('abilities')
    .select('channel_id')
    .where('model', '=', model)
    .where('group', '=', group)

/**
 * Channels that may serve the model to the group, in routing order: by status, enabled channels
 * first, then by priority and weight.
 */
export const listRouteChannels = (db: Db, wanted: Wanted, most: number) =>
  columns(db)
    .where('id', 'in', idsOf(db, wanted))
    .orderBy('status')
    .orderBy('priority', 'desc')
    .orderBy('weight', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()

/**
 * All other channels, highest priority first. `serves_model` is true if the channel serves the
 * model to another group; such channels come first.
 */
export const listOtherChannels = (db: Db, wanted: Wanted, most: number) =>
  columns(db)
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('abilities')
            .select('channel_id')
            .whereRef('channel_id', '=', 'channels.id')
            .where('model', '=', wanted.model),
        )
        .as('serves_model'),
    )
    .where('id', 'not in', idsOf(db, wanted))
    .orderBy('serves_model', 'desc')
    .orderBy('priority', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
