import type { Kysely } from 'kysely'
import type { Secrets } from '../secrets.ts'
import type { Schema } from '../store/schema.ts'
import { ConfigurationError } from './env.ts'

/** Names the row of `meta` with the fingerprint of the secret key. */
export const FINGERPRINT = 'secret_key'

/** Undefined before the first start of a server. */
export async function readFingerprint(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('name', '=', FINGERPRINT)
    .executeTakeFirst()
  return row?.value
}

/** Throws a ConfigurationError for the fingerprint of another secret key. */
export function assertFingerprint(stored: string, { fingerprint }: Secrets) {
  if (stored === fingerprint) return
  throw new ConfigurationError(
    'SECRET_KEY is not the key this database was written with; start with the old one.',
  )
}
