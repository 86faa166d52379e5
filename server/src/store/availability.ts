import { type Kysely, sql } from 'kysely'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import { firstHourOf, sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Channels that serve a group, by model. A channel that the operator switched off serves none. */
export const listServingChannels = (db: Db, group: string) =>
  db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select(['abilities.model', 'channels.type', 'channels.status'])
    .where('abilities.group', '=', group)
    .where('channels.status', '<>', CHANNEL_STATUS.disabled)
    .execute()

/**
 * Requests of everyone by day and model. A failure counts as often as a channel was at fault in its
 * hour, so that neither wrong requests nor rescued ones lower the availability.
 */
export async function listModelDays(db: Db, hours: HourSpan) {
  const faults = db
    .selectFrom('channel_faults')
    .select(['hour', 'model_name', sumOf('faults').as('faults')])
    .where('hour', '>=', hours.firstHour)
    .where('hour', '<', hours.endHour)
    .groupBy(['hour', 'model_name'])
    .as('at_fault')
  const failed = sql<number>`case when at_fault.faults is null then 0
    when at_fault.faults < model_hours.failures then at_fault.faults
    else model_hours.failures end`
  const counted = db
    .selectFrom('model_hours')
    .leftJoin(faults, (join) =>
      join
        .onRef('at_fault.hour', '=', 'model_hours.hour')
        .onRef('at_fault.model_name', '=', 'model_hours.model_name'),
    )
    .select(['model_hours.hour', 'model_hours.model_name', 'model_hours.requests'])
    .select(failed.as('failures'))
    .where('model_hours.hour', '>=', hours.firstHour)
    .where('model_hours.hour', '<', hours.endHour)
    .as('counted')
  const day = firstHourOf('day', hours)
  const rows = await db
    .selectFrom(counted)
    .select([day.as('first_hour'), 'model_name'])
    .select([sumOf('requests').as('requests'), sumOf('failures').as('failures')])
    .groupBy([day, 'model_name'])
    .execute()
  return rows.map(({ first_hour, model_name, requests, failures }) => ({
    firstHour: Number(first_hour),
    model: model_name,
    requests: Number(requests),
    failures: Number(failures),
  }))
}

export type ModelDay = Awaited<ReturnType<typeof listModelDays>>[number]
