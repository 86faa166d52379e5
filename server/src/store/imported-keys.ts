import { createHash } from 'node:crypto'
import type { Database } from './database.ts'

const PREFIX = 'sha256:'

/** The `key_hash` of a token from a gateway that knows only the SHA-256 of its keys, in hex. */
export const importedHash = (hex: string) => `${PREFIX}${hex.toLowerCase()}`

/** That gateway has hashed the key with its prefix `sk-`. */
export const importedKeyHash = (key: string) =>
  importedHash(createHash('sha256').update(`sk-${key}`).digest('hex'))

/** Stores the key of an imported token, unless another process has done so. */
export async function adoptKey(
  { kysely }: Pick<Database, 'kysely'>,
  { keyHash }: { keyHash: string },
  key: { key_hash: string; key_sealed: string },
): Promise<void> {
  await kysely.updateTable('tokens').set(key).where('key_hash', '=', keyHash).execute()
}
