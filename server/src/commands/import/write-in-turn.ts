import { ConfigurationError } from '../../process/env.ts'
import type { Database, Tx } from '../../store/database.ts'
import { numberImportBatch } from '../../store/imports.ts'
import type { ImportContext } from './context.ts'

type Kind = 'transaction' | 'change' | 'changeAccounts'

/**
 * Writes in a transaction that has the next number of its import. Two runs at once would book what
 * is new in the source twice, so only one of them continues.
 */
export async function writeInTurn<Result>(
  { database, name, turn }: ImportContext,
  kind: Kind,
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const write: Database['transaction'] = database[kind]
  const result = await write(async (tx) => {
    if (!(await numberImportBatch(tx, name, turn.last))) {
      throw new ConfigurationError(
        `Another import named ${name} is running. Run this one again when that one has ended.`,
      )
    }
    return run(tx)
  })
  turn.last += 1
  return result
}
