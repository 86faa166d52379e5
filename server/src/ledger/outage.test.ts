import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { atEnd } from '../../testing/harness/at-end.ts'
import { type CuttingProxy, startCuttingProxy } from '../../testing/ledger/cutting-proxy.ts'
import {
  type LedgerWorld,
  mustHold,
  openLedgerWorld,
  openTestLedger,
  request,
  settlement,
} from '../../testing/ledger/ledger-world.ts'
import { openDatabase } from '../store/database.ts'
import { audit } from './audit/audit.ts'
import { LedgerUnavailable } from './ledger.ts'

async function openWorld(kind: 'sqlite' | 'postgres'): Promise<LedgerWorld> {
  const world = await openLedgerWorld(kind)
  atEnd(() => world.close())
  return world
}

/** The same world with another node, behind a proxy that can lose acknowledgements. */
async function openBehindProxy(): Promise<LedgerWorld & { proxy: CuttingProxy }> {
  const world = await openWorld('postgres')
  const proxy = await startCuttingProxy(world.databaseUrl ?? '')
  atEnd(() => proxy.close())
  const { databaseUrl } = proxy
  const dataDir = join(world.dataDir, 'other')
  const database = await openDatabase({ databaseUrl, dataDir })
  atEnd(() => database.close())
  const ledger = await openTestLedger({ database, databaseUrl, dataDir })
  atEnd(() => ledger.close())
  return { ...world, database, ledger, proxy }
}

const logs = (world: LedgerWorld) => world.database.kysely.selectFrom('logs').selectAll().execute()

test('requests that end while every connection breaks are charged once each', async () => {
  const world = await openWorld('postgres')
  const { userId, tokenId } = await world.addCustomer(10_000)
  const holds = await Promise.all(
    Array.from({ length: 40 }, () =>
      mustHold(world, request(userId, tokenId), { min: 10, max: 10 }),
    ),
  )
  const settling = holds.map((hold) => hold.settle(settlement(10)))
  for (let times = 0; times < 5; times++) await breakConnections(world)
  await Promise.all(settling)
  // A pooled connection may not know yet that it was terminated.
  expect(await vi.waitFor(() => world.user(userId))).toMatchObject({ quota: 9600 })
  expect(await logs(world)).toHaveLength(40)
  expect(await audit(world.database)).toEqual([])
})

async function breakConnections({ databaseUrl, dataDir }: LedgerWorld) {
  const outside = await openDatabase({ databaseUrl, dataDir })
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(outside.kysely)
  await outside.close()
}

// guards: C15.7
test('reads that occupy every connection keep no request from being held and charged', async () => {
  const world = await openWorld('postgres')
  const { userId, tokenId } = await world.addCustomer(100)
  const reading = Promise.withResolvers<void>()
  const reads = Array.from({ length: 20 }, () =>
    world.database.kysely.connection().execute(() => reading.promise),
  )
  try {
    const outcome = await world.ledger.hold(request(userId, tokenId), { min: 40, max: 40 })
    if (outcome.type !== 'held') throw new Error(outcome.type)
    await outcome.hold.settle(settlement(40))
    await world.ledger.whenApplied()
  } finally {
    reading.resolve()
    await Promise.all(reads)
  }
  expect(await world.user(userId)).toMatchObject({ quota: 60 })
})

test('a batch whose commit was not acknowledged is applied once', async () => {
  const world = await openBehindProxy()
  const { userId, tokenId } = await world.addCustomer(100)
  const hold = await mustHold(world, request(userId, tokenId), { min: 40, max: 40 })
  world.proxy.loseNextCommit()
  await hold.settle(settlement(70))
  expect(await world.user(userId)).toMatchObject({ quota: 30 })
  expect(await logs(world)).toHaveLength(1)
  expect(await audit(world.database)).toEqual([])
})

test('a lease whose commit was not acknowledged is found again, and spent at most once', async () => {
  const world = await openBehindProxy()
  const { userId, tokenId } = await world.addCustomer(100)
  world.proxy.loseNextCommit()
  const context = request(userId, tokenId)
  await expect(world.ledger.hold(context, { min: 80, max: 80 })).rejects.toThrow(LedgerUnavailable)
  expect(await logs(world)).toEqual([])
  const hold = await mustHold(world, request(userId, tokenId), { min: 80, max: 80 })
  await hold.settle(settlement(80))
  expect(await world.user(userId)).toMatchObject({ quota: 20 })
  expect(await audit(world.database)).toEqual([])
})
