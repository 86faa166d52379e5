import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>
type RouteFilter = { group: string; model: string }

const columns = (db: Db) =>
  db
    .selectFrom('channels')
    .select(['id', 'type', 'name', 'status', 'priority', 'weight', 'model_mapping'])
    .select(['key_sealed', 'base_url', 'status_time', 'config'])

const idsOf = (db: Db, { group, model }: RouteFilter) =>
  db
    .selectFrom('abilities')
    .select('channel_id')
    .where('model', '=', model)
    .where('group', '=', group)

/**
 * Channels that may serve the model to the group, in routing order: by status, enabled channels
 * first, then by priority and weight.
 */
export const listRouteChannels = (db: Db, filter: RouteFilter, limit: number) =>
  columns(db)
    .where('id', 'in', idsOf(db, filter))
    .orderBy('status')
    .orderBy('priority', 'desc')
    .orderBy('weight', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()

/**
 * All other channels, highest priority first. `serves_model` is true if the channel serves the
 * model to another group; such channels come first.
 */
export const listOtherChannels = (db: Db, filter: RouteFilter, limit: number) =>
  columns(db)
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('abilities')
            .select('channel_id')
            .whereRef('channel_id', '=', 'channels.id')
            .where('model', '=', filter.model),
        )
        .as('serves_model'),
    )
    .where('id', 'not in', idsOf(db, filter))
    .orderBy('serves_model', 'desc')
    .orderBy('priority', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
