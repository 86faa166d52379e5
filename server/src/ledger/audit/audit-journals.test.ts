import { rm } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { runCommand } from '../../../testing/harness/run-command.ts'
import {
  openNode,
  openBatchWorld,
  request,
  settled,
  type TestNode,
} from '../../../testing/ledger/batch-world.ts'
import {
  request as ledgerRequest,
  openLedgerWorld,
  settlement,
} from '../../../testing/ledger/ledger-world.ts'
import { systemClock } from '../../clock.ts'
import { type Account, tokenAccount, userAccount } from '../account.ts'
import { journalFolder, openEpochFiles } from '../journal/epoch-files.ts'
import { fileDisk } from '../journal/file-disk.ts'
import type { Journal } from '../journal/journal.ts'
import { checkJournalUse, readJournalUse } from './audit-journals.ts'
import { audit } from './audit.ts'

const LEASED = 100
const TAKEN = 70

describe.each(DATABASES)('with journals next to %s the audit', (kind) => {
  let folder: string

  const world = openOnce(() => openBatchWorld(kind))
  beforeAll(async () => {
    folder = journalFolder(world.dataDir)
  })
  type TestEpoch = { node: TestNode; userId: number; tokenId: number; journal: Journal }

  /** An epoch with a journal, and with leases on a user and on the user's token. */
  async function openEpoch(): Promise<TestEpoch> {
    const node = await openNode(world.ledgerDatabase)
    const { userId, tokenId } = await world.addCustomer(1000, 1000)
    for (const account of [userAccount(userId), tokenAccount(tokenId)]) {
      await node.lease(account, LEASED)
    }
    const files = { disk: fileDisk, folder, epoch: node.epoch, clock: systemClock }
    const log = { warn: () => {}, error: () => {} }
    const { journal } = openEpochFiles({ ...files, syncAlways: false, log })
    return { node, userId, tokenId, journal }
  }

  /** An ended request that so far exists only in the journal. */
  async function end({ userId, tokenId, journal }: TestEpoch) {
    const context = request(userId, tokenId, { tokenLimited: true })
    journal.append({ kind: 'open', context, at: context.openedAt })
    const record = settled(context, TAKEN)
    journal.append(record)
    await journal.written()
    return record
  }

  /** An edit of a limit does this; nothing may do it to a user. */
  async function takeLease(epoch: TestEpoch, { kind: of, ownerId }: Account) {
    const { kysely } = world.database
    await kysely
      .deleteFrom('quota_leases')
      .where('run', '=', epoch.node.epoch)
      .where('kind', '=', of)
      .execute()
    const table = of === 'user' ? 'users' : 'tokens'
    await kysely.updateTable(table).set({ quota_leased: 0 }).where('id', '=', ownerId).execute()
  }

  const close = async ({ node, journal }: TestEpoch) => {
    await world.ledgerDatabase.closeEpoch({ epoch: node.epoch, type: 'finished', voids: [] })
    await journal.close()
  }

  test('finds nothing if journal entries are leased, applied, or of a closed epoch', async () => {
    const epoch = await openEpoch()
    const record = await end(epoch)
    expect(await audit(world.database, folder)).toEqual([])
    expect(await readJournalUse(world.database, folder)).toMatchObject([
      { number: 1, parts: [] },
      { number: 2, parts: [{ account: userAccount(epoch.userId), amount: TAKEN }] },
    ])
    await epoch.node.tryFlush({ to: 2, records: [record] })
    expect(await audit(world.database, folder)).toEqual([])
    const other = await openEpoch()
    await end(other)
    await takeLease(other, userAccount(other.userId))
    await close(other)
    await close(epoch)
    expect(await audit(world.database, folder)).toEqual([])
  })

  // guards: L2.3
  test('finds a user with a smaller lease than the journal took; a limit may be edited', async () => {
    const epoch = await openEpoch()
    await end(epoch)
    await takeLease(epoch, tokenAccount(epoch.tokenId))
    expect(await audit(world.database, folder)).toEqual([])
    await takeLease(epoch, userAccount(epoch.userId))
    expect(await audit(world.database)).toEqual([])
    const where = `lease of epoch ${epoch.node.epoch} on user ${epoch.userId}`
    expect(await audit(world.database, folder)).toEqual([
      { where, what: 'less than its journal took', found: 0, expected: TAKEN },
    ])
    const { code, output } = await runCommand('audit', world)
    expect([code, output]).toEqual([
      1,
      `${where}: less than its journal took: stored 0, computed ${TAKEN}\n` +
        'audit: users and tokens: 6, differences: 1\n',
    ])
    await close(epoch)
  })

  test('ignores records that were applied after it had read the journal', async () => {
    const epoch = await openEpoch()
    const record = await end(epoch)
    const taken = await readJournalUse(world.database, folder)
    await epoch.node.tryFlush({
      to: 2,
      records: [record],
      releases: [{ account: userAccount(epoch.userId), amount: LEASED - TAKEN }],
    })
    expect(await world.database.snapshot((tx) => checkJournalUse(tx, taken))).toEqual([])
    await close(epoch)
  })

  test('continues if a file disappears while it reads', async () => {
    const epoch = await openEpoch()
    await end(epoch)
    const read = async (file: string) => {
      await rm(file)
      return fileDisk.read(file)
    }
    const taken = await readJournalUse(world.database, folder, { ...fileDisk, read })
    expect(taken).toEqual([])
    await epoch.node.tryFlush({
      releases: [{ account: userAccount(epoch.userId), amount: LEASED }],
    })
    await close(epoch)
  })

  test('finds nothing on a server that takes requests meanwhile', async () => {
    const busy = await openLedgerWorld(kind)
    const { userId, tokenId } = await busy.addCustomer(1_000_000)
    const journals = path.join(busy.dataDir, 'journal')
    const relay = async () => {
      for (let requests = 0; requests < 50; requests++) {
        const amount = { min: 20, max: 20 }
        const outcome = await busy.ledger.hold(ledgerRequest(userId, tokenId), amount)
        if (outcome.type === 'held') await outcome.hold.settle(settlement(15))
      }
    }
    const relaying = Promise.all(Array.from({ length: 3 }, relay))
    for (let times = 0; times < 5; times++) {
      expect(await audit(busy.database, journals)).toEqual([])
    }
    await relaying
    await busy.close()
  })
})
