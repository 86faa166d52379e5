import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  addToken,
  addUser,
  exactly,
  openNode,
  openTurnWorld,
  request,
  rowsOf,
  settled,
  type TurnWorld,
  user,
} from '../../../testing/ledger/batch-world.ts'
import { startCuttingProxy } from '../../../testing/ledger/cutting-proxy.ts'
import { openDatabase } from '../../store/database.ts'
import { userAccount } from '../account.ts'
import { audit } from '../audit/audit.ts'

const NOTHING = { records: [], returns: [], draws: [] }

describe.each(DATABASES)('on %s', (kind) => {
  let world: TurnWorld

  beforeAll(async () => {
    world = await openTurnWorld(kind)
  })

  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
  })

  afterAll(() => world.close())

  async function open(quota = 1000) {
    const userId = await addUser(world, quota)
    const tokenId = await addToken(world, userId)
    const node = await openNode(world.ledgerDatabase)
    return { userId, tokenId, node, run: node.run, account: userAccount(userId) }
  }

  test('the same records are applied once, however often and from wherever they are sent', async () => {
    const { userId, tokenId, run, account } = await open()
    const records = [1, 2, 3].map((cost) => settled(request(userId, tokenId), cost))
    const send = (beat: number, from: number, to: number) =>
      world.ledgerDatabase.applyBatch({
        ...NOTHING,
        run,
        beat,
        from,
        to,
        records,
        draws: [exactly(account, 50)],
      })
    expect(await send(0, 0, 3)).toMatchObject({ type: 'done' })
    for (const from of [0, 2, 4]) {
      expect(await send(1, from, from + 3)).toEqual({ type: 'elsewhere' })
    }
    expect(await user(world, userId)).toMatchObject({ quota: 994, quota_leased: 50 })
    expect(await rowsOf(world, 'logs', userId)).toHaveLength(3)
  })

  test('the same turn sent many times at once is done once', async () => {
    const { userId, tokenId, run } = await open()
    const records = [settled(request(userId, tokenId), 30)]
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.ledgerDatabase.applyBatch({ ...NOTHING, run, beat: 0, from: 0, to: 1, records }),
      ),
    )
    expect(outcomes.map(({ type }) => type).toSorted()).toEqual([
      'done',
      ...Array.from({ length: 7 }, () => 'elsewhere'),
    ])
    expect(await user(world, userId)).toMatchObject({ quota: 970, request_count: 1 })
  })

  test('a position never goes back', async () => {
    const { run, userId, tokenId, node } = await open()
    await node.turn({ records: [settled(request(userId, tokenId), 1)] })
    for (const to of [0, 1.5, Number.NaN]) {
      await expect(
        world.ledgerDatabase.applyBatch({ ...NOTHING, run, beat: 1, from: 1, to }),
      ).rejects.toThrow(RangeError)
    }
    expect(await world.ledgerDatabase.readEpoch(run)).toMatchObject({ position: 1 })
  })

  test('a run that was closed is told, and nothing of its turn is done', async () => {
    const { userId, tokenId, run, node, account } = await open()
    await node.lease(account, 100)
    await world.ledgerDatabase.closeEpoch({ run, type: 'abandoned', beat: await beatOf(run) })
    const records = [settled(request(userId, tokenId), 30)]
    expect(await node.tryTurn({ records, draws: [exactly(account, 5)] })).toEqual({
      type: 'closed',
    })
    expect(await user(world, userId)).toMatchObject({ quota: 1000, quota_leased: 0 })
    expect(
      await world.ledgerDatabase.applyBatch({
        ...NOTHING,
        run: 'of a lost database',
        beat: 0,
        from: 0,
        to: 0,
      }),
    ).toEqual({ type: 'closed' })
  })

  test('a database that has lost a turn without records is noticed, and nothing of the next is done', async () => {
    const { userId, run, node, account } = await open()
    await node.lease(account, 100)
    const { database, ledgerDatabase } = world
    // The state after a lost batch: the position does not show the loss.
    const older = { beat: (await beatOf(run)) - 1 }
    await database.kysely.updateTable('ledger_nodes').set(older).where('run', '=', run).execute()
    const next = { draws: [exactly(account, 5)] }
    expect(await node.tryTurn(next)).toEqual({ type: 'elsewhere' })
    expect(await user(world, userId)).toMatchObject({ quota_leased: 100 })
    expect(await ledgerDatabase.readEpoch(run)).toMatchObject(older)
    expect(await node.tryTurn({ ...next, ...older })).toMatchObject({ type: 'done' })
  })

  const beatOf = async (run: string) =>
    (await world.ledgerDatabase.otherEpochs('')).find((other) => other.run === run)?.beat ?? -1

  test('what the database knows of a run is told', async () => {
    const { userId, tokenId, run, node, account } = await open()
    expect(await world.ledgerDatabase.readEpoch('of another database')).toBeNull()
    expect(await world.ledgerDatabase.readEpoch(run)).toEqual({
      position: 0,
      beat: 0,
      isClosed: false,
      finishedAt: null,
      accounts: [],
    })
    await node.lease(account, 100)
    await node.turn({ records: [settled(request(userId, tokenId), 30)] })
    expect(await world.ledgerDatabase.readEpoch(run)).toEqual({
      position: 1,
      beat: 3,
      isClosed: false,
      finishedAt: null,
      accounts: [{ account, isOpen: true, lease: 70, balance: 970, leased: 70 }],
    })
    await world.ledgerDatabase.closeEpoch({ run, type: 'finished', voids: [] })
    expect(await world.ledgerDatabase.readEpoch(run)).toEqual({
      position: 1,
      beat: 3,
      isClosed: true,
      finishedAt: expect.any(Number),
      accounts: [],
    })
  })

  test('whoever reads a run waits for the turn that is under way', async () => {
    const { userId, tokenId, run } = await open()
    const records = Array.from({ length: 200 }, () => settled(request(userId, tokenId), 1))
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const slow = world.ledgerDatabaseWith({
      keepsLog: () => {
        begin()
        return { settled: true, void: true }
      },
    })
    const turning = slow.applyBatch({ ...NOTHING, run, beat: 0, from: 0, to: 200, records })
    await begun
    expect(await world.ledgerDatabase.readEpoch(run)).toMatchObject({ position: 200 })
    expect(await turning).toMatchObject({ type: 'done' })
  })
})

test('a turn whose commit was not answered can be found out about, and is not done twice', async () => {
  const world = await openTurnWorld('postgres')
  const proxy = await startCuttingProxy(world.databaseUrl ?? '')
  const { databaseUrl } = proxy
  const database = await openDatabase({ databaseUrl, dataDir: world.dataDir })
  const ledgerDatabase = world.ledgerDatabaseWith({ database })
  const userId = await addUser(world, 1000)
  const tokenId = await addToken(world, userId)
  const account = userAccount(userId)
  const { run } = world.node
  const records = [settled(request(userId, tokenId), 30)]

  proxy.loseNextCommit()
  const turn = { ...NOTHING, run, beat: 0, from: 0, to: 1, records, draws: [exactly(account, 50)] }
  await expect(ledgerDatabase.applyBatch(turn)).rejects.toThrow(/./)
  expect(await ledgerDatabase.readEpoch(run)).toMatchObject({
    position: 1,
    accounts: [{ lease: 50 }],
  })
  expect(await ledgerDatabase.applyBatch(turn)).toEqual({ type: 'elsewhere' })
  expect(await user(world, userId)).toMatchObject({ quota: 970, quota_leased: 50 })

  proxy.loseNextCommit()
  await expect(ledgerDatabase.closeEpoch({ run, type: 'finished', voids: [] })).rejects.toThrow(/./)
  await ledgerDatabase.closeEpoch({ run, type: 'finished', voids: [] })
  expect(await user(world, userId)).toMatchObject({ quota: 970, quota_leased: 0 })
  expect(await audit(world.database)).toEqual([])
  await database.close()
  await proxy.close()
  await world.close()
})
