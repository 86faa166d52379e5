import { setImmediate as nextImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { userAccount } from './account.ts'
import { LedgerNode, type NodeDeps } from './node.ts'
import { unanswered } from './record.ts'
import { FakeClock } from './testing/fake-clock.ts'
import { request } from './testing/ledger-world.ts'

const RECORDS_MAX = 200_000
const BYTES_MAX = 1024 ** 3

const away = () => Promise.reject(new Error('the database is away'))

/** A node without a database, in whose journal so much waits for one. */
const openNode = (pending: { records: number; bytes: number }) => {
  const journal = {
    isSound: () => true,
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
    },
    openFiles: () => ({ journal, readBack: away }),
    recall: () => {},
    label: '',
    clock: new FakeClock(),
    log: { warn: () => {}, error: () => {} },
  }
  return LedgerNode.open(deps)
}

const admit = (node: LedgerNode) =>
  node.admit(request(1, 1), [userAccount(1)], { least: 0, most: 0 })

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
  const node = await openNode({ records: 0, bytes: 0 })
  const hold = await admit(node)
  if (!('holdings' in hold)) throw new Error('the request was refused')
  await node.end(hold, unanswered('upstream_error'))
  const flushed = (userId?: number) =>
    Promise.race([node.flush(userId).then(() => 'flushed'), nextImmediate('waits')])
  expect(await flushed(2)).toBe('flushed')
  expect(await flushed(1)).toBe('waits')
  expect(await flushed()).toBe('waits')
})
