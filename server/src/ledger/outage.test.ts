import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '../store/database.ts'
import { audit } from './audit.ts'
import { createLedger } from './create-ledger.ts'
import { type CuttingProxy, startCuttingProxy } from './testing/cutting-proxy.ts'
import {
  addToken,
  addUser,
  type LedgerWorld,
  mustHold,
  NOW_MS,
  openLedgerWorld,
  request,
  settlement,
  user,
} from './testing/ledger-world.ts'

const after: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const step of after.splice(0).toReversed()) await step()
})

async function openWorld(kind: 'sqlite' | 'postgres'): Promise<LedgerWorld> {
  const world = await openLedgerWorld(kind)
  after.push(() => world.close())
  return world
}

/** The same world, seen through a proxy that can lose answers. */
async function openBehindProxy(): Promise<LedgerWorld & { proxy: CuttingProxy }> {
  const world = await openWorld('postgres')
  const proxy = await startCuttingProxy(world.databaseUrl ?? '')
  after.push(() => proxy.close())
  const { databaseUrl } = proxy
  const database = await openDatabase({ databaseUrl, dataDir: world.dataDir })
  after.push(() => database.close())
  const keepsLog = () => ({ settled: true, void: true })
  const ledger = createLedger({
    database,
    run: world.run,
    now: () => NOW_MS,
    keepsLog,
    remindBelow: () => 0,
  })
  return { ...world, database, ledger, proxy }
}

const logs = (world: LedgerWorld) => world.database.kysely.selectFrom('logs').selectAll().execute()

test('requests that end while every connection breaks are charged once each', async () => {
  const world = await openWorld('postgres')
  const userId = await addUser(world, 10_000)
  const tokenId = await addToken(world, userId)
  const holds = await Promise.all(
    Array.from({ length: 40 }, () =>
      mustHold(world, request(userId, tokenId), { least: 10, most: 10 }),
    ),
  )
  const settling = holds.map((hold) => hold.settle(settlement(10)))
  for (let times = 0; times < 5; times++) await breakConnections(world)
  const settled = await Promise.all(settling)
  expect(settled.map(({ charged }) => charged)).toEqual(holds.map(() => 10))
  expect(await user(world, userId)).toMatchObject({ quota: 9600, quota_leased: 0 })
  expect(await logs(world)).toHaveLength(40)
  expect(await audit(world.database)).toEqual([])
})

async function breakConnections({ databaseUrl, dataDir }: LedgerWorld) {
  const outside = await openDatabase({ databaseUrl, dataDir })
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(outside.kysely)
  await outside.close()
}

test('a settle whose commit was not answered is charged once, and says what was charged', async () => {
  const world = await openBehindProxy()
  const userId = await addUser(world, 100)
  const tokenId = await addToken(world, userId)
  const hold = await mustHold(world, request(userId, tokenId), { least: 40, most: 40 })
  world.proxy.loseNextCommit()
  expect(await hold.settle(settlement(70))).toMatchObject({ charged: 70, uncollected: 0 })
  expect(await user(world, userId)).toMatchObject({ quota: 30, quota_leased: 0 })
  expect(await logs(world)).toHaveLength(1)
})

test('a hold whose commit was not answered is given back', async () => {
  const world = await openBehindProxy()
  const userId = await addUser(world, 100)
  const tokenId = await addToken(world, userId)
  world.proxy.loseNextCommit()
  await expect(
    world.ledger.hold(request(userId, tokenId), { least: 40, most: 40 }),
  ).rejects.toThrow(/./)
  await expect
    .poll(() => user(world, userId), { timeout: 10_000 })
    .toMatchObject({
      quota: 100,
      quota_leased: 0,
    })
  expect(await logs(world)).toMatchObject([{ outcome: 'void', end_reason: 'hold_unconfirmed' }])
  expect(await audit(world.database)).toEqual([])
})

test('a hold that could not be closed while the database failed can be closed later', async () => {
  const world = await openWorld('sqlite')
  const userId = await addUser(world, 100)
  const tokenId = await addToken(world, userId)
  const hold = await mustHold(world, request(userId, tokenId), { least: 40, most: 40 })
  const { kysely } = world.database
  await sql`create trigger broken before insert on logs
    begin select raise(abort, 'the disk is full'); end`.execute(kysely)
  await expect(hold.settle(settlement(30))).rejects.toThrow('the disk is full')
  expect(await user(world, userId)).toMatchObject({ quota: 100, quota_leased: 40 })
  await sql`drop trigger broken`.execute(kysely)
  expect(await hold.settle(settlement(30))).toMatchObject({ charged: 30 })
  expect(await user(world, userId)).toMatchObject({ quota: 70, quota_leased: 0 })
  expect(await audit(world.database)).toEqual([])
})
