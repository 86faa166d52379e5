import { ConfigurationError } from '../../process/env.ts'
import { findImportSource, insertImportSource } from '../../store/imports.ts'
import { type ImportContext, nowSeconds } from './context.ts'
import type { Source } from './sources/source.ts'
import { importChannels } from './write-channels.ts'
import { importCodes } from './write-codes.ts'
import { importLogs } from './write-logs.ts'
import { importOptions } from './write-options.ts'
import { importPastUse } from './write-past-use.ts'
import { importTokens } from './write-tokens.ts'
import { importUsers } from './write-users.ts'

/**
 * Imports what is new in the source. Each page is a transaction, so an import that was interrupted
 * continues with the next one.
 */
export async function runImport(context: ImportContext, source: Source) {
  await claimName(context, source)
  await importOptions(context, await source.settings())
  const users = await importUsers(context, source)
  const channels = await importChannels(context, source)
  const tokens = await importTokens(context, source, users.imported)
  await importCodes(context, source)
  const owners = await importLogs(context, source, {
    users: users.imported,
    usersKnown: users.known,
    tokens,
    channels,
  })
  await importPastUse(context, owners)
}

async function claimName(context: ImportContext, { product }: Source) {
  const { database, name, isDryRun, turn } = context
  const known = await findImportSource(database.kysely, name)
  if (known !== undefined && known.product !== product) {
    throw new ConfigurationError(
      `--name ${name} was imported from ${known.product}; give ${product} another name.`,
    )
  }
  turn.last = known?.batches ?? 0
  if (known !== undefined || isDryRun) return
  const created_at = nowSeconds(context)
  await database.transaction((tx) => insertImportSource(tx, { name, product, created_at }))
}
