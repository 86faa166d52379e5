import { join } from 'node:path'
import type { Quota } from '@tollgate/contract'
import { systemClock } from '../../clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import { keyOf, type AccountAmount, userAccount } from '../account.ts'
import type { Disk } from '../journal/disk.ts'
import { fileDisk } from '../journal/file-disk.ts'
import { listEpochs, readJournal } from '../journal/reader.ts'
import type { JournalRecord } from '../record.ts'
import type { Difference } from './difference.ts'

/** What the record with this number took from the leases of its epoch. */
type JournalUse = { epoch: string; number: number; parts: readonly AccountAmount[] }

/**
 * What the journals in this folder hold that the database has not applied. A caller that compares
 * the result with leases reads the leases afterwards: whatever is in a journal was leased by then,
 * and lease requests only add to the leases of open epochs.
 */
export async function readJournalUse(
  database: Database,
  folder: string,
  disk: Disk = fileDisk,
): Promise<JournalUse[]> {
  const uses: JournalUse[] = []
  const localEpochs = new Set(listEpochs(disk, folder))
  for (const { epoch, position } of await openEpochs(database.kysely)) {
    if (!localEpochs.has(epoch)) continue
    const reading = { disk: withoutMissing(disk), folder: join(folder, epoch), epoch, position }
    const { records } = await readJournal({ ...reading, clock: systemClock })
    for (const { number, record } of records) uses.push({ epoch, number, parts: partsOf(record) })
  }
  return uses
}

/** A file removed between listing and reading held only applied records. */
const withoutMissing = (disk: Disk): Disk => ({
  ...disk,
  read: (path) =>
    disk.read(path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
        return Buffer.alloc(0)
      }
      throw error
    }),
})

const openEpochs = (kysely: Database['kysely'] | Tx) =>
  kysely
    .selectFrom('ledger_nodes')
    .select(['run as epoch', 'position'])
    .where('closed_at', 'is', null)
    .orderBy('run')
    .execute()

/** Users only: an edit of a limit may have taken away the lease of its running requests. */
const partsOf = (record: JournalRecord) =>
  record.kind === 'end' ? record.parts.filter(({ account }) => account.kind === 'user') : []

/** Checks that ends not applied yet are within the leases of their epoch. */
export async function checkJournalUse(tx: Tx, uses: readonly JournalUse[]): Promise<Difference[]> {
  const positions = new Map((await openEpochs(tx)).map(({ epoch, position }) => [epoch, position]))
  const sums = new Map<string, { epoch: string; ownerId: number; amount: Quota }>()
  for (const { epoch, number, parts } of uses) {
    if (number <= (positions.get(epoch) ?? Infinity)) continue
    for (const { account, amount } of parts) {
      const key = `${epoch} ${keyOf(account)}`
      const sum = sums.get(key)?.amount ?? 0
      sums.set(key, { epoch, ownerId: account.ownerId, amount: sum + amount })
    }
  }
  const leases = await tx
    .selectFrom('quota_leases')
    .select(['run as epoch', 'owner_id', 'amount'])
    .where('kind', '=', 'user')
    .execute()
  const leased = new Map(
    leases.map(({ epoch, owner_id, amount }) => [
      `${epoch} ${keyOf(userAccount(owner_id))}`,
      amount,
    ]),
  )
  return [...sums].flatMap(([key, { epoch, ownerId, amount: expected }]) => {
    const found = leased.get(key) ?? 0
    const where = `lease of epoch ${epoch} on user ${ownerId}`
    return found < expected ? [{ where, what: 'less than its journal took', found, expected }] : []
  })
}
