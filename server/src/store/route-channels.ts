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

/** Channels that may serve the model to the group, the enabled ones first and of those the first to be asked. */
export const listRouteChannels = (db: Db, wanted: Wanted, most: number) =>
  columns(db)
    .where('id', 'in', idsOf(db, wanted))
    .orderBy('status')
    .orderBy('priority', 'desc')
    .orderBy('weight', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()

/** Others, the most important first; `serves_model` tells that some other group is served with it. */
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
