import type { ImportContext } from './context.ts'
import { KnownRows } from './known-rows.ts'
import type { SourceLog } from './sources/source.ts'
import type { Tokens } from './write-tokens.ts'
import type { ImportedUser } from './write-users.ts'

export type Owners = {
  readonly users: ReadonlyMap<string, ImportedUser>
  readonly usersKnown: KnownRows
  readonly tokens: Tokens
  readonly channels: KnownRows
}

/** How rows of the log find what they belong to. */
export type LogOwners = Owners & {
  /** Keys that hold the use of keys that are gone, by their user in the source. */
  readonly pastKeys: KnownRows
  /** By user and name, for logs without ids of keys. */
  readonly tokensByName: ReadonlyMap<string, string>
}

export async function openLogOwners(context: ImportContext, owners: Owners): Promise<LogOwners> {
  const byName = [...owners.tokens.imported.values()].map(
    ({ source }) => [`${source.userId} ${source.name}`, source.id] as const,
  )
  return {
    ...owners,
    pastKeys: await KnownRows.read(context, 'past key'),
    tokensByName: new Map(byName),
  }
}

/** The key in the source, if it is imported. */
export function sourceTokenOf(
  { userId, tokenId, tokenName }: SourceLog,
  owners: LogOwners,
): string | undefined {
  const id = tokenId === '' ? owners.tokensByName.get(`${userId} ${tokenName}`) : tokenId
  return id !== undefined && owners.tokens.imported.has(id) ? id : undefined
}
