import { setImmediate as nextImmediate } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { absentDatabase, away } from '../../../testing/ledger/absent-database.ts'
import { request, settlement } from '../../../testing/ledger/ledger-world.ts'
import { type Account, tokenAccount, userAccount } from '../account.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { unanswered } from '../record.ts'
import { heldBy } from './hold-state.ts'
import type { NodeDeps } from './node-state.ts'
import { LedgerNode } from './node.ts'

const RECORDS_MAX = 200_000
const BYTES_MAX = 1024 ** 3

type Given = {
  database?: Partial<NodeDeps['database']>
  isSound?: () => boolean
  clock?: FakeClock
  logged?: unknown[]
}

/**
 * A node whose database does only what is given, and whose journal reports `pending` as not
 * applied.
 */
const openNode = (
  pending = { records: 0, bytes: 0 },
  { database, isSound = () => true, clock = new FakeClock(), logged = [] }: Given = {},
) => {
  const journal = {
    isSound,
    pending: () => pending,
    append: () => 1,
    written: async () => {},
    markApplied: () => {},
    close: async () => {},
    remove: () => {},
  }
  const deps: NodeDeps = {
    database: absentDatabase({ openEpoch: async () => {}, ...database }),
    openFiles: () => ({ journal, readBack: away }),
    revoke: () => {},
    label: '',
    clock,
    log: { warn: () => {}, error: (what: unknown) => void logged.push(what) },
  }
  return LedgerNode.open(deps)
}

const USER = userAccount(1)
const TOKEN = tokenAccount(1)

const authorize = (node: LedgerNode, max = 0, accounts = [USER]) =>
  node.authorize(request(1, 1), accounts, { min: max, max })

/** Authorizes a request while `clock` runs, or fails the test. */
async function mustAuthorize(node: LedgerNode, clock: FakeClock, max: number, accounts = [USER]) {
  const authorizing = authorize(node, max, accounts)
  await clock.advance(200)
  const hold = await authorizing
  if (!('holdings' in hold)) throw new Error('the request was refused')
  return hold
}

/** A database that grants this epoch leases of 1000. */
const lends: NodeDeps['database']['applyBatch'] = async ({ leaseRequests }) => ({
  type: 'done',
  databaseSeconds: 0,
  accounts: leaseRequests.map(({ account }) => {
    return { account, isOpen: true, lease: 1000, balance: 1_000_000, leased: 1000 }
  }),
})

// guards: C21.1
test.each([
  { records: RECORDS_MAX + 1, bytes: 0 },
  { records: 1, bytes: BYTES_MAX + 1 },
])('with $records records of $bytes bytes pending, new requests are refused', async (pending) => {
  await expect(authorize(await openNode(pending))).rejects.toThrow('too much is waiting')
})

test('with the maximum of pending records, requests are authorized', async () => {
  const node = await openNode({ records: RECORDS_MAX, bytes: BYTES_MAX })
  await expect(authorize(node)).resolves.toHaveProperty('holdings')
})

test('a caller that waits for its own ends does not wait for those of others', async () => {
  const node = await openNode()
  const hold = await mustAuthorize(node, new FakeClock(), 0)
  await node.end(hold, unanswered('upstream_error'))
  const flushed = (userId?: number) =>
    Promise.race([node.flush(userId).then(() => 'flushed'), nextImmediate('waits')])
  expect(await flushed(2)).toBe('flushed')
  expect(await flushed(1)).toBe('waits')
  expect(await flushed()).toBe('waits')
})

test("a running request raises its hold also right after a jump of its machine's clock", async () => {
  const clock = new FakeClock()
  const node = await openNode(undefined, { database: { applyBatch: lends }, clock })
  const hold = await mustAuthorize(node, clock, 10)
  clock.setWall(clock.now() + 6 * 60_000)
  const raised = node.raise(hold, { min: 900, max: 900 })
  await clock.advance(100)
  expect(await raised).toBeNull()
})

// guards: C15.5
test('with a full disk a running request raises its hold within the lease, and beyond it gets the reason', async () => {
  const clock = new FakeClock()
  let isSound = true
  const node = await openNode(undefined, {
    database: { applyBatch: lends },
    isSound: () => isSound,
    clock,
  })
  const hold = await mustAuthorize(node, clock, 10)
  isSound = false
  expect(await node.raise(hold, { min: 900, max: 900 })).toBeNull()
  expect(heldBy(hold)).toBe(900)
  await expect(node.raise(hold, { min: 1001, max: 1001 })).rejects.toThrow(LedgerUnavailable)
  expect(node.isUnavailable).toBe(true)
  isSound = true
  expect(node.isUnavailable).toBe(false)
})

test.each([
  ['journal', { isSound: () => false }, undefined],
  ['backlog', {}, { records: RECORDS_MAX + 1, bytes: 0 }],
  [null, {}, undefined],
] as const)(
  'the node reports %s as what keeps it from authorizing',
  async (fault, given, pending) => {
    expect((await openNode(pending, given)).fault).toBe(fault)
  },
)

test('the node reports a database that fails its batches, until one succeeds', async () => {
  const clock = new FakeClock()
  let isAway = true
  const applyBatch: typeof lends = (batch) => (isAway ? away() : lends(batch))
  const readEpoch = async () => ({
    position: 0,
    sequence: 0,
    isClosed: false,
    finishedAt: null,
    accounts: [],
  })
  const node = await openNode(undefined, { database: { applyBatch, readEpoch }, clock })
  await clock.advance(2500)
  expect(node.fault).toBe('database')
  isAway = false
  await clock.advance(2500)
  expect(node.fault).toBeNull()
})

// guards: C1.7
test('a node that closes starts no new epoch, whatever peers request', async () => {
  const clock = new FakeClock()
  const openEpoch = vi.fn(async () => {})
  let isClosed = false
  const { promise: goOn, resolve } = Promise.withResolvers<void>()
  const closeEpoch = () => {
    isClosed = true
    return goOn
  }
  const applyBatch: typeof lends = async (asked) => (isClosed ? { type: 'closed' } : lends(asked))
  const readEpoch = async () => null
  const node = await openNode(undefined, {
    database: { openEpoch, applyBatch, readEpoch, closeEpoch },
    clock,
  })
  const closing = node.close()
  await clock.advance(100)
  expect(isClosed).toBe(true)
  node.revoke(USER)
  await clock.advance(10_000)
  resolve()
  await closing
  expect(openEpoch).toHaveBeenCalledTimes(1)
  await Promise.all([node.close(), node.sync()])
})

// guards: C14.2
test('for ten seconds after another node ran short of quota, a node leases exactly what it needs', async () => {
  const clock = new FakeClock()
  const granted: number[] = []
  let lease = 0
  /** Grants exactly what is needed and notes how much more was requested. */
  const applyBatch: NodeDeps['database']['applyBatch'] = async ({
    records,
    releases,
    leaseRequests,
  }) => {
    for (const { amount } of [...records.flatMap(({ parts }) => parts), ...releases])
      lease -= amount
    for (const { max, recentCharges } of leaseRequests.filter((wanted) => wanted.max > 0)) {
      lease += max
      granted.push(recentCharges)
    }
    const state = { account: USER, isOpen: true, lease, balance: 1_000_000, leased: lease }
    return { type: 'done', databaseSeconds: 0, accounts: [state] }
  }
  const node = await openNode(undefined, { database: { applyBatch }, clock })
  const charge = async () => {
    await node.end(await mustAuthorize(node, clock, 100), settlement(100))
    await clock.advance(200)
  }
  node.revoke(USER)
  await charge()
  await charge()
  expect(granted.splice(0)).toEqual([0, 0])
  await clock.advance(10_000)
  await charge()
  await charge()
  expect(granted.splice(0)).toEqual([0, 100])
  node.revoke(USER)
  // Everything is returned, but the sum of the last minute is kept.
  await clock.advance(200)
  for (let count = 0; count < 24; count++) await charge()
  expect(granted.splice(0)).toEqual(Array.from({ length: 24 }, () => 0))
  await charge()
  await charge()
  expect(granted.at(-1)).toBe(2700)
})

describe('after each batch, its leases must equal the promises made from them, or an error is logged', () => {
  const COST = 30

  /**
   * A node that ended a request on leases of 1000 and whose next batch finds the leases in `found`.
   */
  async function batchAfterEnd(found: { user: number; token: number }) {
    const clock = new FakeClock()
    const logged: unknown[] = []
    let isEnded = false
    const applyBatch: NodeDeps['database']['applyBatch'] = async (asked) => {
      const accounts = isEnded ? [USER, TOKEN] : asked.leaseRequests.map(({ account }) => account)
      const leaseOf = ({ kind }: Account) => {
        if (!isEnded) return 1000
        return kind === 'user' ? found.user : found.token
      }
      return {
        type: 'done',
        databaseSeconds: 0,
        accounts: accounts.map((account) => {
          const lease = leaseOf(account)
          return { account, isOpen: true, lease, balance: 1_000_000, leased: lease }
        }),
      }
    }
    const node = await openNode(undefined, { database: { applyBatch }, clock, logged })
    const running = await mustAuthorize(node, clock, 500, [USER, TOKEN])
    const ending = await mustAuthorize(node, clock, 100, [USER, TOKEN])
    isEnded = true
    await node.end(ending, settlement(COST))
    await clock.advance(200)
    return { node, clock, logged, running }
  }

  const left = 1000 - COST

  test('equal leases, and a limit removed by an edit, log no error', async () => {
    expect((await batchAfterEnd({ user: left, token: left })).logged).toEqual([])
    expect((await batchAfterEnd({ user: left, token: 0 })).logged).toEqual([])
  })

  // guards: L2.2
  test.each([
    ['less of a user', { user: left - 1, token: left }, { account: 'user:1:0', lease: left - 1 }],
    ['more of a user', { user: left + 1, token: left }, { account: 'user:1:0', lease: left + 1 }],
    ['more of a token', { user: left, token: left + 1 }, { account: 'token:1:0', lease: left + 1 }],
  ])('%s is logged, and requests continue', async (_what, found, logged) => {
    const after = await batchAfterEnd(found)
    expect(after.logged).toEqual([{ ...logged, expected: left, others: 0 }])
    expect(await after.node.raise(after.running, { min: 600, max: 600 })).toBeNull()
    await after.node.end(after.running, settlement(COST))
    expect(await authorize(after.node, 10)).toHaveProperty('holdings')
  })

  test('at most one error a minute is logged', async () => {
    const { logged, node, running, clock } = await batchAfterEnd({ user: left - 1, token: left })
    await node.end(running, settlement(COST))
    await clock.advance(30_000)
    expect(logged).toHaveLength(1)
    const next = await mustAuthorize(node, clock, 1)
    await clock.advance(31_000)
    await node.end(next, settlement(1))
    await clock.advance(200)
    expect(logged).toHaveLength(2)
  })
})
