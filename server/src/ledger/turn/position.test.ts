import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/databases.ts'
import { openDatabase } from '../../store/database.ts'
import { userAccount } from '../account.ts'
import { audit } from '../audit.ts'
import { startCuttingProxy } from '../testing/cutting-proxy.ts'
import {
  addToken,
  addUser,
  type BooksWorld,
  exactly,
  openBooksWorld,
  openNode,
  request,
  rowsOf,
  settled,
  user,
} from './testing/books-world.ts'

const NOTHING = { records: [], returns: [], draws: [] }

describe.each(DATABASES)('on %s', (kind) => {
  let world: BooksWorld

  beforeAll(async () => {
    world = await openBooksWorld(kind)
  })

  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
  })

  afterAll(() => world.close())

  async function open(quota = 1000) {
    const userId = await addUser(world, quota)
    const tokenId = await addToken(world, userId)
    const node = await openNode(world.books)
    return { userId, tokenId, node, run: node.run, account: userAccount(userId) }
  }

  test('the same records are applied once, however often and from wherever they are sent', async () => {
    const { userId, tokenId, run, account } = await open()
    const records = [1, 2, 3].map((cost) => settled(request(userId, tokenId), cost))
    const send = (from: number, to: number) =>
      world.books.turn({ ...NOTHING, run, from, to, records, draws: [exactly(account, 50)] })
    expect(await send(0, 3)).toMatchObject({ type: 'done' })
    expect(await send(0, 3)).toEqual({ type: 'elsewhere' })
    expect(await send(2, 5)).toEqual({ type: 'elsewhere' })
    expect(await send(4, 7)).toEqual({ type: 'elsewhere' })
    expect(await user(world, userId)).toMatchObject({ quota: 994, quota_leased: 50 })
    expect(await rowsOf(world, 'logs', userId)).toHaveLength(3)
  })

  test('the same turn sent many times at once is done once', async () => {
    const { userId, tokenId, run } = await open()
    const records = [settled(request(userId, tokenId), 30)]
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.books.turn({ ...NOTHING, run, from: 0, to: 1, records }),
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
      await expect(world.books.turn({ ...NOTHING, run, from: 1, to })).rejects.toThrow(RangeError)
    }
    expect(await world.books.readRun(run)).toMatchObject({ position: 1 })
  })

  test('a run that was closed is told, and nothing of its turn is done', async () => {
    const { userId, tokenId, run, node, account } = await open()
    await node.lease(account, 100)
    await world.books.closeRun({ run, type: 'abandoned', beat: await beatOf(run) })
    const records = [settled(request(userId, tokenId), 30)]
    expect(await node.tryTurn({ records, draws: [exactly(account, 5)] })).toEqual({
      type: 'closed',
    })
    expect(await user(world, userId)).toMatchObject({ quota: 1000, quota_leased: 0 })
    expect(
      await world.books.turn({ ...NOTHING, run: 'of a lost database', from: 0, to: 0 }),
    ).toEqual({ type: 'closed' })
  })

  const beatOf = async (run: string) =>
    (await world.books.otherRuns('')).find((other) => other.run === run)?.beat ?? -1

  test('what the database knows of a run is told', async () => {
    const { userId, tokenId, run, node, account } = await open()
    expect(await world.books.readRun('of another database')).toBeNull()
    expect(await world.books.readRun(run)).toEqual({
      position: 0,
      isClosed: false,
      finishedAt: null,
      accounts: [],
    })
    await node.lease(account, 100)
    await node.turn({ records: [settled(request(userId, tokenId), 30)] })
    expect(await world.books.readRun(run)).toEqual({
      position: 1,
      isClosed: false,
      finishedAt: null,
      accounts: [{ account, isOpen: true, lease: 70, balance: 970, leased: 70 }],
    })
    await world.books.closeRun({ run, type: 'finished', voids: [] })
    expect(await world.books.readRun(run)).toEqual({
      position: 1,
      isClosed: true,
      finishedAt: expect.any(Number),
      accounts: [],
    })
  })

  test('whoever reads a run waits for the turn that is under way', async () => {
    const { userId, tokenId, run } = await open()
    const records = Array.from({ length: 200 }, () => settled(request(userId, tokenId), 1))
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const slow = world.booksWith({
      keepsLog: () => {
        begin()
        return { settled: true, void: true }
      },
    })
    const turning = slow.turn({ ...NOTHING, run, from: 0, to: 200, records })
    await begun
    expect(await world.books.readRun(run)).toMatchObject({ position: 200 })
    expect(await turning).toMatchObject({ type: 'done' })
  })
})

test('a turn whose commit was not answered can be found out about, and is not done twice', async () => {
  const world = await openBooksWorld('postgres')
  const proxy = await startCuttingProxy(world.databaseUrl ?? '')
  const { databaseUrl } = proxy
  const database = await openDatabase({ databaseUrl, dataDir: world.dataDir })
  const books = world.booksWith({ database })
  const userId = await addUser(world, 1000)
  const tokenId = await addToken(world, userId)
  const account = userAccount(userId)
  const { run } = world.node
  const records = [settled(request(userId, tokenId), 30)]

  proxy.loseNextCommit()
  const turn = { ...NOTHING, run, from: 0, to: 1, records, draws: [exactly(account, 50)] }
  await expect(books.turn(turn)).rejects.toThrow(/./)
  expect(await books.readRun(run)).toMatchObject({ position: 1, accounts: [{ lease: 50 }] })
  expect(await books.turn(turn)).toEqual({ type: 'elsewhere' })
  expect(await user(world, userId)).toMatchObject({ quota: 970, quota_leased: 50 })

  proxy.loseNextCommit()
  await expect(books.closeRun({ run, type: 'finished', voids: [] })).rejects.toThrow(/./)
  await books.closeRun({ run, type: 'finished', voids: [] })
  expect(await user(world, userId)).toMatchObject({ quota: 970, quota_leased: 0 })
  expect(await audit(world.database)).toEqual([])
  await database.close()
  await proxy.close()
  await world.close()
})
