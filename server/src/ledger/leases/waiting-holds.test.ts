import { expect, test } from 'vitest'
import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { userAccount } from '../account.ts'
import { Leases } from './leases.ts'
import { WaitingHolds } from './waiting-holds.ts'

const ACCOUNT = userAccount(1)
const BATCH = {
  epoch: 'epoch-1',
  sequence: 0,
  from: 0,
  to: 0,
  records: [],
  releases: [],
  leaseRequests: [],
}

/**
 * A request for 500 waits for its batch, which requests 400 in addition to the 100 that are free.
 * Another request then takes the 100.
 */
function overtaken(balance: Quota) {
  const leases = new Leases()
  const waiting = new WaitingHolds(() => {})
  const granted = (lease: Quota) =>
    leases.batchApplied(BATCH, [{ account: ACCOUNT, isOpen: true, lease, balance, leased: lease }])
  granted(100)
  const refusal = waiting.wait(leases.holdings([ACCOUNT]), { min: 500, max: 500 })
  expect(waiting.leaseRequests(leases, 0)).toMatchObject([{ min: 400, max: 400 }])
  leases.hold(leases.holdings([ACCOUNT]), 100, 0)
  granted(500)
  waiting.grantOrRefuse(leases, 0)
  return { leases, waiting, granted, refusal }
}

test('quota taken by a request during a batch is requested by the next batch', async () => {
  const { leases, waiting, granted, refusal } = overtaken(1000)
  expect(waiting.leaseRequests(leases, 50)).toMatchObject([{ min: 100, max: 100 }])
  granted(600)
  waiting.grantOrRefuse(leases, 50)
  expect(await refusal).toBeNull()
  expect(leases.free(ACCOUNT)).toBe(0)
})

test('if the balance has no more, the request is refused immediately', async () => {
  const { waiting, refusal } = overtaken(599)
  expect(waiting.isEmpty).toBe(true)
  expect(await refusal).toMatchObject({ type: 'in_use', needed: 500 })
})

test('a request that others overtake is refused after ten batches and half a second', async () => {
  const { leases, waiting, refusal } = overtaken(1000)
  for (let batch = 2; batch <= 10; batch += 1) waiting.grantOrRefuse(leases, 600)
  waiting.grantOrRefuse(leases, 499)
  expect(waiting.isEmpty).toBe(false)
  waiting.grantOrRefuse(leases, 500)
  expect(await refusal).toMatchObject({ type: 'in_use' })
})

test('other nodes are asked to release their leases only if the balance does not suffice', () => {
  const revoked: unknown[] = []
  const waiting = new WaitingHolds((account) => revoked.push(account))
  const leases = new Leases()
  const state = { account: ACCOUNT, isOpen: true, lease: 0, leased: 600 }
  leases.batchApplied(BATCH, [{ ...state, balance: 2000 }])
  void waiting.wait(leases.holdings([ACCOUNT]), { min: 500, max: 500 })
  waiting.leaseRequests(leases, 0)
  waiting.grantOrRefuse(leases, 0)
  expect(revoked).toEqual([])
  leases.batchApplied(BATCH, [{ ...state, balance: 1000 }])
  waiting.grantOrRefuse(leases, 0)
  expect(revoked).toEqual([ACCOUNT])
})

test('all requests that wait for an account request at most the maximum together', () => {
  const leases = new Leases()
  const waiting = new WaitingHolds(() => {})
  for (let count = 0; count < 3; count += 1) {
    const amount = { min: QUOTA_MAX, max: QUOTA_MAX }
    void waiting.wait(leases.holdings([ACCOUNT]), amount)
  }
  expect(waiting.leaseRequests(leases, 0)).toMatchObject([{ min: QUOTA_MAX, max: QUOTA_MAX }])
})
