import { rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { runCommand } from '../../../testing/harness/run-command.ts'
import {
  addToken,
  addUser,
  openNode,
  openTurnWorld,
  request,
  settled,
  type TestNode,
  type TurnWorld,
} from '../../../testing/ledger/batch-world.ts'
import {
  request as ledgerRequest,
  openLedgerWorld,
  settlement,
} from '../../../testing/ledger/ledger-world.ts'
import { type Account, tokenAccount, userAccount } from '../account.ts'
import { systemClock } from '../clock.ts'
import { fileDisk } from '../journal/file-disk.ts'
import type { Journal } from '../journal/journal.ts'
import { journalFolder, openRunFiles } from '../journal/run-files.ts'
import { checkTaken, readTaken } from './audit-journals.ts'
import { audit } from './audit.ts'

const LEASED = 100
const TAKEN = 70

describe.each(DATABASES)('with journals beside %s the audit', (kind) => {
  let world: TurnWorld
  let folder: string

  beforeAll(async () => {
    world = await openTurnWorld(kind)
    folder = journalFolder(world.dataDir)
  })
  afterAll(() => world.close())

  type Run = { node: TestNode; userId: number; tokenId: number; journal: Journal }

  /** An epoch with a journal, and with leases on a user and on the user's token. */
  async function openEpoch(): Promise<Run> {
    const node = await openNode(world.ledgerDatabase)
    const userId = await addUser(world, 1000)
    const tokenId = await addToken(world, userId, 1000)
    for (const account of [userAccount(userId), tokenAccount(tokenId)]) {
      await node.lease(account, LEASED)
    }
    const files = { disk: fileDisk, folder, run: node.run, clock: systemClock }
    const log = { warn: () => {}, error: () => {} }
    const { journal } = openRunFiles({ ...files, syncAlways: false, log })
    return { node, userId, tokenId, journal }
  }

  /** An ended request that so far exists only in the journal. */
  async function end({ userId, tokenId, journal }: Run) {
    const context = request(userId, tokenId, { tokenLimited: true })
    journal.append({ kind: 'open', context, at: context.openedAt })
    const record = settled(context, TAKEN)
    journal.append(record)
    await journal.written()
    return record
  }

  /** An edit of a limit does this; nothing may do it to a user. */
  async function takeLease(run: Run, { kind: of, ownerId }: Account) {
    const { kysely } = world.database
    await kysely
      .deleteFrom('quota_leases')
      .where('run', '=', run.node.run)
      .where('kind', '=', of)
      .execute()
    const table = of === 'user' ? 'users' : 'tokens'
    await kysely.updateTable(table).set({ quota_leased: 0 }).where('id', '=', ownerId).execute()
  }

  const close = async ({ node, journal }: Run) => {
    await world.ledgerDatabase.closeEpoch({ run: node.run, type: 'finished', voids: [] })
    await journal.close()
  }

  test('finds nothing where what was taken is leased, applied, or of a run that is over', async () => {
    const run = await openEpoch()
    const record = await end(run)
    expect(await audit(world.database, folder)).toEqual([])
    expect(await readTaken(world.database, folder)).toMatchObject([
      { number: 1, parts: [] },
      { number: 2, parts: [{ account: userAccount(run.userId), amount: TAKEN }] },
    ])
    await run.node.tryTurn({ to: 2, records: [record] })
    expect(await audit(world.database, folder)).toEqual([])
    const other = await openEpoch()
    await end(other)
    await takeLease(other, userAccount(other.userId))
    await close(other)
    await close(run)
    expect(await audit(world.database, folder)).toEqual([])
  })

  test('finds a user of whom less is leased than the journal took; a limit may be edited', async () => {
    const run = await openEpoch()
    await end(run)
    await takeLease(run, tokenAccount(run.tokenId))
    expect(await audit(world.database, folder)).toEqual([])
    await takeLease(run, userAccount(run.userId))
    expect(await audit(world.database)).toEqual([])
    const where = `lease of run ${run.node.run} on user ${run.userId}`
    expect(await audit(world.database, folder)).toEqual([
      { where, what: 'less than its journal took', found: 0, expected: TAKEN },
    ])
    const { code, output } = await runCommand('audit', world)
    expect([code, output]).toEqual([
      1,
      `${where}: less than its journal took: stored 0, computed ${TAKEN}\n` +
        'audit: users and tokens: 6, differences: 1\n',
    ])
    await close(run)
  })

  test('counts nothing that was applied after it had read the journal', async () => {
    const run = await openEpoch()
    const record = await end(run)
    const taken = await readTaken(world.database, folder)
    await run.node.tryTurn({
      to: 2,
      records: [record],
      returns: [{ account: userAccount(run.userId), amount: LEASED - TAKEN }],
    })
    expect(await world.database.snapshot((tx) => checkTaken(tx, taken))).toEqual([])
    await close(run)
  })

  test('goes on when a file goes while it reads', async () => {
    const run = await openEpoch()
    await end(run)
    const read = async (file: string) => {
      await rm(file)
      return fileDisk.read(file)
    }
    const taken = await readTaken(world.database, folder, { ...fileDisk, read })
    expect(taken).toEqual([])
    await run.node.tryTurn({ returns: [{ account: userAccount(run.userId), amount: LEASED }] })
    await close(run)
  })

  test('finds nothing at a server that takes requests all the while', async () => {
    const busy = await openLedgerWorld(kind)
    const userId = await busy.rows.addUser({ quota: 1_000_000 })
    const { id: tokenId } = await busy.rows.addToken({ user: userId })
    const journals = path.join(busy.dataDir, 'journal')
    const relay = async () => {
      for (let requests = 0; requests < 50; requests++) {
        const amount = { least: 20, most: 20 }
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
