import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { messagesDuring, startCountingProxy } from '../../../testing/harness/round-trips.ts'
import { batchStatementsDuring } from '../../../testing/harness/statements.ts'
import {
  exactly,
  openNode,
  openAuditedWorld,
  request,
  settled,
} from '../../../testing/ledger/batch-world.ts'
import { openDatabase } from '../../store/database.ts'
import { userAccount } from '../account.ts'

const NOTHING = { records: [], releases: [], leaseRequests: [] }

describe.each(DATABASES)('on %s', (kind) => {
  const world = openAuditedWorld(kind)

  async function open(quota = 1000) {
    const { userId, tokenId } = await world.addCustomer(quota)
    const node = await openNode(world.ledgerDatabase)
    return { userId, tokenId, node, epoch: node.epoch, account: userAccount(userId) }
  }

  // guards: L1.1
  test('the same records are applied once, whatever batches they are sent in', async () => {
    const { userId, tokenId, epoch, account } = await open()
    const records = [1, 2, 3].map((cost) => settled(request(userId, tokenId), cost))
    const send = (sequence: number, from: number, to: number) =>
      world.ledgerDatabase.applyBatch({
        ...NOTHING,
        epoch,
        sequence,
        from,
        to,
        records,
        leaseRequests: [exactly(account, 50)],
      })
    expect(await send(0, 0, 3)).toMatchObject({ type: 'done' })
    for (const from of [0, 2, 4]) {
      expect(await send(1, from, from + 3)).toEqual({ type: 'position_mismatch' })
    }
    expect(await world.user(userId)).toMatchObject({ quota: 994, quota_leased: 50 })
    expect(await world.rowsOf('logs', userId)).toHaveLength(3)
  })

  test('the same batch sent concurrently is applied once', async () => {
    const { userId, tokenId, epoch } = await open()
    const records = [settled(request(userId, tokenId), 30)]
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.ledgerDatabase.applyBatch({
          ...NOTHING,
          epoch,
          sequence: 0,
          from: 0,
          to: 1,
          records,
        }),
      ),
    )
    expect(outcomes.map(({ type }) => type).toSorted()).toEqual([
      'done',
      ...Array.from({ length: 7 }, () => 'position_mismatch'),
    ])
    expect(await world.user(userId)).toMatchObject({ quota: 970, request_count: 1 })
  })

  test('a position never goes backwards', async () => {
    const { epoch, userId, tokenId, node } = await open()
    await node.flush({ records: [settled(request(userId, tokenId), 1)] })
    for (const to of [0, 1.5, Number.NaN]) {
      await expect(
        world.ledgerDatabase.applyBatch({ ...NOTHING, epoch, sequence: 1, from: 1, to }),
      ).rejects.toThrow(RangeError)
    }
    expect(await world.ledgerDatabase.readEpoch(epoch)).toMatchObject({ position: 1 })
  })

  test('a batch takes two round trips, however much it does', async () => {
    const { userId, tokenId, account } = await open()
    const proxy = kind === 'sqlite' ? null : await startCountingProxy(world.databaseUrl ?? '')
    const database =
      proxy === null
        ? world.database
        : await openDatabase({ ...world, databaseUrl: proxy.databaseUrl })
    const node = await openNode(world.ledgerDatabaseWith({ database: database.forLedger }))
    await node.flush({})
    const tripsDuring = proxy?.roundTripsDuring ?? messagesDuring
    const records = [settled(request(userId, tokenId), 30), settled(request(userId, tokenId), 5)]
    const flush = () => node.flush({ records, leaseRequests: [exactly(account, 50)] })
    expect(await tripsDuring(flush, 'ledger_nodes')).toBe(2)
    expect(await world.user(userId)).toMatchObject({ quota: 965, quota_leased: 50 })
    if (proxy === null) return
    await database.close()
    await proxy.close()
  })

  test('the texts of batches do not depend on amounts, so each is parsed once', async () => {
    const { userId, tokenId, node } = await open()
    const channel = await world.addChannel()
    const statementsFor = (cost: number) => {
      const records = [settled(request(userId, tokenId), cost, { channel })]
      return batchStatementsDuring(() => node.flush({ records }))
    }
    const statements = await statementsFor(30)
    expect(await statementsFor(7)).toEqual(statements)
    const [used] = await world.database.kysely
      .selectFrom('channels')
      .select('used_quota')
      .where('id', '=', channel)
      .execute()
    expect(used).toEqual({ used_quota: 37 })
  })

  // guards: C1.1
  test('a closed epoch learns that it is closed, and nothing of its batch is applied', async () => {
    const { userId, tokenId, epoch, node, account } = await open()
    await node.lease(account, 100)
    await world.ledgerDatabase.closeEpoch({
      epoch,
      type: 'abandoned',
      sequence: await sequenceOf(epoch),
    })
    const records = [settled(request(userId, tokenId), 30)]
    expect(await node.tryFlush({ records, leaseRequests: [exactly(account, 5)] })).toEqual({
      type: 'closed',
    })
    expect(await world.user(userId)).toMatchObject({ quota: 1000, quota_leased: 0 })
    expect(
      await world.ledgerDatabase.applyBatch({
        ...NOTHING,
        epoch: 'of a lost database',
        sequence: 0,
        from: 0,
        to: 0,
      }),
    ).toEqual({ type: 'closed' })
  })

  // guards: C7.3
  test('a database that lost a batch without records is detected, and nothing of the next is applied', async () => {
    const { userId, epoch, node, account } = await open()
    await node.lease(account, 100)
    const { database, ledgerDatabase } = world
    // The state after a lost batch: the position does not show the loss.
    const older = { beat: (await sequenceOf(epoch)) - 1 }
    await database.kysely.updateTable('ledger_nodes').set(older).where('run', '=', epoch).execute()
    const next = { leaseRequests: [exactly(account, 5)] }
    expect(await node.tryFlush(next)).toEqual({ type: 'position_mismatch' })
    expect(await world.user(userId)).toMatchObject({ quota_leased: 100 })
    expect(await ledgerDatabase.readEpoch(epoch)).toMatchObject({ sequence: older.beat })
    expect(await node.tryFlush({ ...next, sequence: older.beat })).toMatchObject({ type: 'done' })
  })

  const sequenceOf = async (epoch: string) =>
    (await world.ledgerDatabase.otherEpochs('')).find((other) => other.epoch === epoch)?.sequence ??
    -1

  test('the state of an epoch is read from the database', async () => {
    const { userId, tokenId, epoch, node, account } = await open()
    expect(await world.ledgerDatabase.readEpoch('of another database')).toBeNull()
    expect(await world.ledgerDatabase.readEpoch(epoch)).toEqual({
      position: 0,
      sequence: 0,
      isClosed: false,
      finishedAt: null,
      accounts: [],
    })
    await node.lease(account, 100)
    await node.flush({ records: [settled(request(userId, tokenId), 30)] })
    expect(await world.ledgerDatabase.readEpoch(epoch)).toEqual({
      position: 1,
      sequence: 3,
      isClosed: false,
      finishedAt: null,
      accounts: [{ account, isOpen: true, lease: 70, balance: 970, leased: 70 }],
    })
    await world.ledgerDatabase.closeEpoch({ epoch, type: 'finished', voids: [] })
    expect(await world.ledgerDatabase.readEpoch(epoch)).toEqual({
      position: 1,
      sequence: 3,
      isClosed: true,
      finishedAt: expect.any(Number),
      accounts: [],
    })
  })

  // guards: C5.2
  test('a reader of an epoch waits for the batch in progress', async () => {
    const { userId, tokenId, epoch } = await open()
    const records = Array.from({ length: 200 }, () => settled(request(userId, tokenId), 1))
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const slow = world.ledgerDatabaseWith({
      keepsLog: () => {
        begin()
        return { settled: true, void: true }
      },
    })
    const flushing = slow.applyBatch({ ...NOTHING, epoch, sequence: 0, from: 0, to: 200, records })
    await begun
    expect(await world.ledgerDatabase.readEpoch(epoch)).toMatchObject({ position: 200 })
    expect(await flushing).toMatchObject({ type: 'done' })
  })
})
