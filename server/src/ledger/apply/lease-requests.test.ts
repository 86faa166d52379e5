import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  exactly,
  openNode,
  openAuditedWorld,
  openBatchWorld,
  request,
  settled,
  type BatchWorld,
} from '../../../testing/ledger/batch-world.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { tokenAccount, userAccount } from '../account.ts'
import type { LeaseRequest } from '../batch.ts'

describe.each(DATABASES)('on %s', (kind) => {
  const world = openAuditedWorld(kind)

  const acquire = (leaseRequests: readonly LeaseRequest[]) => world.node.flush({ leaseRequests })

  test('a lease is taken from the available balance, and returned in the result', async () => {
    const account = userAccount(await world.addUser(1000))
    expect(await acquire([exactly(account, 300)])).toEqual([
      { account, isOpen: true, lease: 300, balance: 1000, leased: 300 },
    ])
    expect(await acquire([exactly(account, 700)])).toMatchObject([{ lease: 1000, leased: 1000 }])
    expect(await acquire([exactly(account, 1)])).toMatchObject([{ lease: 1000, leased: 1000 }])
    expect(await world.user(account.ownerId)).toMatchObject({ quota: 1000, quota_leased: 1000 })
    expect(await world.leaseOf(world.node.epoch, account)).toBe(1000)
  })

  test('an account with high usage of a large balance gets a larger lease than needed', async () => {
    const account = userAccount(await world.addUser(8000))
    const states = await acquire([{ account, min: 10, max: 20, recentCharges: 5000 }])
    expect(states).toMatchObject([{ lease: 1020 }])
  })

  test('released quota is free for others, and a release never exceeds the lease', async () => {
    const account = userAccount(await world.addUser(100))
    await acquire([exactly(account, 100)])
    const other = await openNode(world.ledgerDatabase)
    expect(await other.flush({ leaseRequests: [exactly(account, 40)] })).toMatchObject([
      { lease: 0 },
    ])
    expect(await world.node.flush({ releases: [{ account, amount: 40 }] })).toMatchObject([
      { lease: 60, leased: 60 },
    ])
    expect(await other.flush({ leaseRequests: [exactly(account, 40)] })).toMatchObject([
      { lease: 40 },
    ])
    expect(await world.node.flush({ releases: [{ account, amount: 1000 }] })).toMatchObject([
      { lease: 0, leased: 40 },
    ])
    expect(await world.leaseOf(world.node.epoch, account)).toBeUndefined()
  })

  test('charges come first, then releases, then lease requests', async () => {
    const { userId, tokenId } = await world.addCustomer(100)
    const account = userAccount(userId)
    await world.node.lease(account, 90)
    const states = await world.node.flush({
      records: [settled(request(userId, tokenId), 30)],
      releases: [{ account, amount: 60 }],
      leaseRequests: [exactly(account, 70)],
    })
    expect(states).toEqual([{ account, isOpen: true, lease: 70, balance: 70, leased: 70 }])
  })

  test.each([
    { who: 'a banned owner', table: 'users', set: { status: 2 } },
    { who: 'a closed account', table: 'users', set: { status: 3 } },
    { who: 'a disabled token', table: 'tokens', set: { status: 2 } },
    { who: 'an exhausted token', table: 'tokens', set: { status: 4 } },
    { who: 'a deleted token', table: 'tokens', set: { key_hash: null } },
  ] as const)('$who gets nothing', async ({ table, set }) => {
    const { userId, tokenId } = await world.addCustomer(100, 100)
    const account = table === 'users' ? userAccount(userId) : tokenAccount(tokenId)
    await world.database.kysely
      .updateTable(table)
      .set(set)
      .where('id', '=', account.ownerId)
      .execute()
    expect(await acquire([exactly(account, 10)])).toEqual([
      { account, isOpen: false, lease: 0, balance: 100, leased: 0 },
    ])
  })

  // guards: C15.8
  test('a running request gets more of a closed account, as far as its balance goes', async () => {
    const userId = await world.addUser(100)
    const account = userAccount(userId)
    await acquire([exactly(account, 10)])
    await setRow(world, 'users', userId, { status: 2 })
    const forRunning = { ...exactly(account, 90), isForRunning: true }
    expect(await acquire([{ ...forRunning, min: 91, max: 91 }])).toMatchObject([{ lease: 10 }])
    expect(await acquire([forRunning])).toMatchObject([{ isOpen: false, lease: 100, leased: 100 }])
    const gone = { ...exactly(userAccount(999_998), 10), isForRunning: true }
    expect(await acquire([gone])).toMatchObject([{ lease: 0, leased: 0 }])
  })

  test('a missing account is reported as missing', async () => {
    const accounts = [userAccount(999_999), tokenAccount(999_999)]
    expect(await acquire(accounts.map((account) => exactly(account, 0)))).toEqual(
      accounts.map((account) => ({ account, isOpen: false, lease: 0, balance: 0, leased: 0 })),
    )
  })

  // guards: L2.4
  test('two epochs with concurrent lease requests never get more than the balance', async () => {
    const { userId, tokenId } = await world.addCustomer(1000, 700)
    const nodes = await Promise.all([1, 2, 3, 4].map(() => openNode(world.ledgerDatabase)))
    const accounts = [userAccount(userId), tokenAccount(tokenId)]
    const got = await Promise.all(
      nodes.map(async (node) => {
        for (let times = 0; times < 10; times++) {
          await node.flush({ leaseRequests: accounts.map((account) => exactly(account, 60)) })
        }
        return node.flush({ leaseRequests: accounts.map((account) => exactly(account, 0)) })
      }),
    )
    const sum = (index: number) =>
      got.reduce((total, states) => total + (states[index]?.lease ?? 0), 0)
    expect([sum(0), sum(1)]).toEqual([960, 660])
    expect(await world.user(userId)).toMatchObject({ quota: 1000, quota_leased: 960 })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 700, quota_leased: 660 })
  })

  test('an empty batch raises the sequence number', async () => {
    expect(await world.node.flush({})).toEqual([])
    const before = await sequence()
    await world.node.flush({})
    expect(await sequence()).toBe(before + 1)
  })

  async function sequence(): Promise<number> {
    const others = await world.ledgerDatabase.otherEpochs('')
    return others.find(({ epoch }) => epoch === world.node.epoch)?.sequence ?? -1
  }

  // guards: L5.1
  test('an invalid amount is refused before anything is stored', async () => {
    const account = userAccount(await world.addUser(100))
    await expect(world.node.flush({ releases: [{ account, amount: -1 }] })).rejects.toThrow(
      RangeError,
    )
    await expect(acquire([{ ...exactly(account, 1), recentCharges: Number.NaN }])).rejects.toThrow(
      RangeError,
    )
    expect(await world.user(account.ownerId)).toMatchObject({ quota_leased: 0 })
  })
})

// guards: C19.1
test.each(['user', 'token'] as const)(
  'whatever order batches name a %s in, PostgreSQL locks each in a fixed order',
  async (of) => {
    const world = await openBatchWorld('postgres')
    const userId = await world.addUser(1000)
    const ids = await Promise.all(
      [1, 2, 3].map(() => (of === 'user' ? world.addUser(1000) : world.addToken(userId, 1000))),
    )
    const sorted = ids.toSorted((a, b) => a - b)
    let transactions = 0
    const ledgerDatabase = world.ledgerDatabaseWith({
      database: {
        ...world.database,
        transaction: (run) =>
          world.database.transaction((tx) => {
            transactions += 1
            return run(tx)
          }),
      },
    })
    const flush = async (order: readonly number[]) => {
      const node = await openNode(ledgerDatabase)
      const accounts = order.map(of === 'user' ? userAccount : tokenAccount)
      await node.flush({ leaseRequests: accounts.map((account) => exactly(account, 10)) })
    }
    const outside = await world.database.kysely.startTransaction().execute()
    const middle = outside.updateTable(`${of}s`).set({ status: 1 })
    await middle.where('id', '=', sorted[1] ?? 0).execute()
    const rounds = [flush(sorted), flush(sorted.toReversed())]
    await expect.poll(() => waitingForLocks(world), { timeout: 10_000 }).toBe(2)
    await outside.commit().execute()
    await Promise.all(rounds)
    expect(transactions).toBe(2)
    await world.close()
  },
)

async function waitingForLocks({ database }: BatchWorld): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(database.kysely)
  return rows[0]?.waiting ?? 0
}
