import { setImmediate as nextImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { userAccount } from './account.ts'
import { LedgerAway } from './ledger.ts'
import { heldBy, LedgerNode, type NodeDeps } from './node.ts'
import { unanswered } from './record.ts'
import { FakeClock } from './testing/fake-clock.ts'
import { request } from './testing/ledger-world.ts'

const RECORDS_MAX = 200_000
const BYTES_MAX = 1024 ** 3

const away = () => Promise.reject(new Error('the database is away'))

type Given = { books?: Partial<NodeDeps['books']>; isSound?: () => boolean; clock?: FakeClock }

/** A node without a database but what is given, in whose journal so much waits for one. */
const openNode = (
  pending = { records: 0, bytes: 0 },
  { books, isSound = () => true, clock = new FakeClock() }: Given = {},
) => {
  const journal = {
    isSound,
    pending: () => pending,
    append: () => 1,
    written: async () => {},
    applied: () => {},
    close: async () => {},
    remove: () => {},
  }
  const deps: NodeDeps = {
    books: {
      newRun: () => 'run',
      openRun: async () => {},
      turn: away,
      applyLate: away,
      readRun: away,
      closeRun: away,
      otherRuns: away,
      reportFaults: away,
      ...books,
    },
    openFiles: () => ({ journal, readBack: away }),
    recall: () => {},
    label: '',
    clock,
    log: { warn: () => {}, error: () => {} },
  }
  return LedgerNode.open(deps)
}

const admit = (node: LedgerNode, most = 0) =>
  node.admit(request(1, 1), [userAccount(1)], { least: most, most })

/** A database that gives this run a lease of 1000. */
const lends: NodeDeps['books']['turn'] = async ({ draws }) => ({
  type: 'done',
  databaseSeconds: 0,
  accounts: draws.map(({ account }) => {
    return { account, isOpen: true, lease: 1000, balance: 1_000_000, leased: 1000 }
  }),
})

test.each([
  { records: RECORDS_MAX + 1, bytes: 0 },
  { records: 1, bytes: BYTES_MAX + 1 },
])('with $records records of $bytes bytes to be applied nobody is admitted', async (pending) => {
  await expect(admit(await openNode(pending))).rejects.toThrow('too much is waiting')
})

test('with as much as may wait requests are admitted', async () => {
  const node = await openNode({ records: RECORDS_MAX, bytes: BYTES_MAX })
  await expect(admit(node)).resolves.toHaveProperty('holdings')
})

test('whoever waits for their own ends does not wait for those of others', async () => {
  const node = await openNode()
  const hold = await admit(node)
  if (!('holdings' in hold)) throw new Error('the request was refused')
  await node.end(hold, unanswered('upstream_error'))
  const flushed = (userId?: number) =>
    Promise.race([node.flush(userId).then(() => 'flushed'), nextImmediate('waits')])
  expect(await flushed(2)).toBe('flushed')
  expect(await flushed(1)).toBe('waits')
  expect(await flushed()).toBe('waits')
})

test('a request that runs holds more of a lease although the disk is full, and beyond it hears why not', async () => {
  const clock = new FakeClock()
  let isSound = true
  const node = await openNode(undefined, {
    books: { turn: lends },
    isSound: () => isSound,
    clock,
  })
  const admitted = admit(node, 10)
  await clock.advance(10)
  const hold = await admitted
  if (!('holdings' in hold)) throw new Error('the request was refused')
  isSound = false
  expect(await node.raise(hold, { least: 900, most: 900 })).toBeNull()
  expect(heldBy(hold)).toBe(900)
  await expect(node.raise(hold, { least: 1001, most: 1001 })).rejects.toThrow(LedgerAway)
  expect(node.isAway).toBe(true)
  isSound = true
  expect(node.isAway).toBe(false)
})

test('a node that closes begins no other run, whatever others ask of it', async () => {
  const clock = new FakeClock()
  const openRun = vi.fn(async () => {})
  let isClosed = false
  const { promise: goOn, resolve } = Promise.withResolvers<void>()
  const closeRun = () => {
    isClosed = true
    return goOn
  }
  const turn: typeof lends = async (asked) => (isClosed ? { type: 'closed' } : lends(asked))
  const readRun = async () => null
  const node = await openNode(undefined, { books: { openRun, turn, readRun, closeRun }, clock })
  const closing = node.close()
  await clock.advance(100)
  expect(isClosed).toBe(true)
  node.giveBack(userAccount(1))
  await clock.advance(10_000)
  resolve()
  await closing
  expect(openRun).toHaveBeenCalledTimes(1)
  await Promise.all([node.close(), node.turn()])
})
