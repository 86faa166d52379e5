import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Tokens that providers wrote to their caches, which bills list apart; null for earlier hours. */
export const writtenTokens: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('provider_hours').addColumn('written_tokens', 'bigint').execute()
  },
}
