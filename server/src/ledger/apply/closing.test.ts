import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import {
  NOW,
  openNode,
  openBatchWorld,
  request,
  settled,
  type TestNode,
  voided,
} from '../../../testing/ledger/batch-world.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { tokenAccount, userAccount } from '../account.ts'
import { audit } from '../audit/audit.ts'
import type { EndRecord } from '../record.ts'

describe.each(DATABASES)('on %s', (kind) => {
  let node: TestNode
  let userId: number
  let tokenId: number

  const world = openPerTest(() => openBatchWorld(kind))
  /** A user and a limited token, with a lease of 60 on each. */
  beforeEach(async () => {
    node = world.node
    userId = await world.addUser(100)
    tokenId = await world.addToken(userId, 80)
    await node.lease(userAccount(userId), 60)
    await node.lease(tokenAccount(tokenId), 60)
  })

  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
  })

  const context = () => request(userId, tokenId, { tokenLimited: true })
  const interrupted = (of = context()) => voided(of, { endReason: 'interrupted' })
  const finish = (voids: EndRecord[] = []) =>
    world.ledgerDatabase.closeEpoch({ epoch: node.epoch, type: 'finished', voids })
  const abandon = async () => {
    const others = await world.ledgerDatabase.otherEpochs('')
    const sequence = others.find(({ epoch }) => epoch === node.epoch)?.sequence ?? -1
    await world.ledgerDatabase.closeEpoch({ epoch: node.epoch, type: 'abandoned', sequence })
  }
  const late = (from: number, ...records: EndRecord[]) =>
    world.ledgerDatabase.applyLate({ epoch: node.epoch, from, to: from + records.length, records })
  const logs = () => world.rowsOf('logs', userId)
  const isGivenBack = async () => {
    expect(await world.user(userId)).toMatchObject({ quota_leased: 0 })
    expect(await world.token(tokenId)).toMatchObject({ quota_leased: 0 })
    expect(await world.database.kysely.selectFrom('quota_leases').selectAll().execute()).toEqual([])
  }

  test('a finished epoch releases all its leases and voids open requests, once', async () => {
    const voids = [interrupted(), interrupted()]
    await finish(voids)
    await finish(voids)
    await isGivenBack()
    expect(await logs()).toMatchObject([
      { outcome: 'void', end_reason: 'interrupted', username: 'alice', quota: 0, late: 0 },
      { outcome: 'void' },
    ])
    expect(await world.user(userId)).toMatchObject({ quota: 100, request_count: 2 })
    expect(await world.ledgerDatabase.readEpoch(node.epoch)).toMatchObject({
      isClosed: true,
      finishedAt: expect.any(Number),
    })
  })

  test('also if voids are not kept in the log', async () => {
    const quiet = world.ledgerDatabaseWith({ keepsLog: () => ({ settled: true, void: false }) })
    const closing = { epoch: node.epoch, type: 'finished', voids: [interrupted()] } as const
    await quiet.closeEpoch(closing)
    await quiet.closeEpoch(closing)
    expect(await logs()).toEqual([])
    expect(await world.user(userId)).toMatchObject({ quota_leased: 0, request_count: 1 })
  })

  test('closing an epoch leaves what other epochs lease', async () => {
    const other = await openNode(world.ledgerDatabase)
    await other.lease(userAccount(userId), 40)
    await finish()
    expect(await world.user(userId)).toMatchObject({ quota: 100, quota_leased: 40 })
    expect(await world.ledgerDatabase.otherEpochs(node.epoch)).toEqual([
      { epoch: other.epoch, sequence: 2 },
    ])
    expect(await world.ledgerDatabase.otherEpochs(other.epoch)).toEqual([])
  })

  // guards: C1.3
  test('an epoch is closed from outside only if its sequence number stands still', async () => {
    const seen = await world.ledgerDatabase.otherEpochs('')
    await node.flush({})
    const sequence = seen[0]?.sequence ?? -1
    await world.ledgerDatabase.closeEpoch({ epoch: node.epoch, type: 'abandoned', sequence })
    expect(await world.ledgerDatabase.readEpoch(node.epoch)).toMatchObject({ isClosed: false })
    expect(await world.user(userId)).toMatchObject({ quota_leased: 60 })
    await abandon()
    await isGivenBack()
    expect(await world.ledgerDatabase.readEpoch(node.epoch)).toMatchObject({
      isClosed: true,
      finishedAt: null,
    })
  })

  // guards: C1.2
  test('late charges of a closed epoch come from the available balance, and from nothing else', async () => {
    await abandon()
    const other = await openNode(world.ledgerDatabase)
    await other.lease(userAccount(userId), 70)
    expect(await late(0, settled(context(), 50))).toMatchObject({ type: 'done' })
    expect(await world.user(userId)).toMatchObject({ quota: 70, quota_leased: 70 })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 50 })
    expect(await logs()).toMatchObject([{ quota: 30, uncollected: 20, late: 1 }])
  })

  test('late records are applied once, and only from the position of the epoch', async () => {
    await node.flush({ records: [settled(context(), 5)] })
    await abandon()
    const record = settled(context(), 10)
    expect(await late(0, record)).toEqual({ type: 'position_mismatch' })
    expect(await late(1, record)).toMatchObject({ type: 'done' })
    expect(await late(1, record)).toEqual({ type: 'position_mismatch' })
    expect(await world.user(userId)).toMatchObject({ quota: 85, request_count: 2 })
  })

  test('late records of an open epoch are charged to its leases', async () => {
    const other = await openNode(world.ledgerDatabase)
    await other.lease(userAccount(userId), 40)
    await late(0, settled(context(), 50))
    expect(await world.user(userId)).toMatchObject({ quota: 50, quota_leased: 50 })
    expect(await logs()).toMatchObject([{ quota: 50, uncollected: 0, late: 0 }])
  })

  test('an epoch that the database does not know is registered as closed, and applied', async () => {
    const epoch = 'of another day'
    const record = settled(context(), 10)
    expect(
      await world.ledgerDatabase.applyLate({ epoch, from: 7, to: 8, records: [record] }),
    ).toEqual({
      type: 'position_mismatch',
    })
    expect(await world.ledgerDatabase.readEpoch(epoch)).toMatchObject({
      position: 0,
      isClosed: true,
    })
    await world.ledgerDatabase.applyLate({ epoch, from: 0, to: 8, records: [record] })
    await world.ledgerDatabase.closeEpoch({ epoch, type: 'finished', voids: [interrupted()] })
    expect(await world.ledgerDatabase.readEpoch(epoch)).toMatchObject({
      position: 8,
      finishedAt: expect.any(Number),
    })
    await world.ledgerDatabase.closeEpoch({ epoch: 'with nothing', type: 'finished', voids: [] })
    expect(await world.ledgerDatabase.readEpoch('with nothing')).toMatchObject({
      finishedAt: expect.any(Number),
    })
    expect(await world.user(userId)).toMatchObject({ quota: 90, request_count: 2 })
  })

  test('a late end replaces the void of its request, in the row and in every counter', async () => {
    const one = context()
    await finish([voided(one, { at: NOW - 86_400, endReason: 'interrupted' })])
    await late(0, settled(one, 20))
    expect(await logs()).toMatchObject([
      { request_id: one.requestId, outcome: 'settled', quota: 20, created_at: NOW, late: 1 },
    ])
    expect(await world.user(userId)).toMatchObject({ quota: 80, request_count: 1 })
    const { kysely } = world.database
    const days = await kysely
      .selectFrom('ledger_days')
      .select(['requests', 'charged'])
      .where('user_id', '=', userId)
      .orderBy('day')
      .execute()
    expect(days).toEqual([
      { requests: 0, charged: 0 },
      { requests: 1, charged: 20 },
    ])
    const hours = await kysely
      .selectFrom('rollups')
      .select(['requests', 'failures'])
      .where('user_id', '=', userId)
      .orderBy('hour')
      .execute()
    expect(hours).toEqual([
      { requests: 0, failures: 0 },
      { requests: 1, failures: 0 },
    ])
  })

  test('also if the request ended in another epoch', async () => {
    const one = context()
    await finish([interrupted(one)])
    const next = await openNode(world.ledgerDatabase)
    await next.lease(userAccount(userId), 50)
    const parts = [{ account: userAccount(userId), amount: 20 }]
    await next.flush({ records: [settled(one, 20, { parts }), settled(context(), 5)] })
    expect(await logs()).toMatchObject([
      { request_id: one.requestId, outcome: 'settled', quota: 20, late: 1 },
      { outcome: 'settled', quota: 5, late: 0 },
    ])
    expect(await world.user(userId)).toMatchObject({
      quota: 75,
      quota_leased: 25,
      request_count: 2,
    })
  })

  test('a void is written only if the request has no row', async () => {
    const [one, other] = [context(), context()]
    await node.flush({ records: [settled(one, 20)] })
    await finish([interrupted(one), interrupted(other)])
    await late(1, interrupted(other))
    expect(await logs()).toMatchObject([{ outcome: 'settled' }, { outcome: 'void' }])
    expect(await world.user(userId)).toMatchObject({ quota: 80, request_count: 2 })
  })

  test('the void that a late end replaces disappears if ends are not kept in the log', async () => {
    const one = context()
    await finish([interrupted(one)])
    const quiet = world.ledgerDatabaseWith({ keepsLog: () => ({ settled: false, void: true }) })
    const records = [settled(one, 20)]
    await quiet.applyLate({ epoch: node.epoch, from: 0, to: 1, records })
    expect(await logs()).toEqual([])
    expect(await world.user(userId)).toMatchObject({ quota: 80, request_count: 1 })
  })

  test('a closed epoch also releases more than its account has recorded as leased', async () => {
    await setRow(world, 'users', userId, { quota_leased: 10 })
    await finish()
    await isGivenBack()
  })

  test('names of epochs never repeat, and labels are storable', async () => {
    const { newEpochName, openEpoch } = world.ledgerDatabase
    const epochs = [newEpochName(), newEpochName(), newEpochName()]
    expect(new Set(epochs).size).toBe(3)
    for (const epoch of epochs) await openEpoch(epoch, 'b\0\ud800')
  })
})
