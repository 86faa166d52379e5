import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

const HOURS_PER_DAY = 24

const sumOf = (column: string) => sql<number>`sum(${sql.ref(column)})`

/** A user's requests from a day on, by day and model; `day` is days since the epoch, UTC. */
export async function listDaysOfUser(
  db: Kysely<Schema>,
  { userId, firstDay }: { userId: number; firstDay: number },
) {
  const day = sql<number>`hour / ${sql.lit(HOURS_PER_DAY)}`
  return db
    .selectFrom('rollups')
    .select([
      day.as('day'),
      'model_name',
      sumOf('requests').as('requests'),
      sumOf('quota').as('quota'),
      sumOf('prompt_tokens').as('prompt_tokens'),
      sumOf('completion_tokens').as('completion_tokens'),
    ])
    .where('user_id', '=', userId)
    .where('hour', '>=', firstDay * HOURS_PER_DAY)
    .groupBy([day, 'model_name'])
    .execute()
}
