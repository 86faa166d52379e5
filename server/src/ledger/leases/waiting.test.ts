import { expect, test } from 'vitest'
import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { userAccount } from '../account.ts'
import { Leases } from './leases.ts'
import { Waiting } from './waiting.ts'

const ACCOUNT = userAccount(1)
const TURN = { run: 'run', beat: 0, from: 0, to: 0, records: [], returns: [], draws: [] }

/**
 * A request for 500 waits for its batch, which requests 400 in addition to the 100 that are free.
 * Another request then takes the 100.
 */
function overtaken(balance: Quota) {
  const leases = new Leases()
  const waiting = new Waiting(() => {})
  const drawn = (lease: Quota) =>
    leases.applied(TURN, [{ account: ACCOUNT, isOpen: true, lease, balance, leased: lease }])
  drawn(100)
  const refusal = waiting.wait(leases.holdings([ACCOUNT]), { least: 500, most: 500 })
  expect(waiting.draws(leases, 0)).toMatchObject([{ least: 400, most: 400 }])
  leases.hold(leases.holdings([ACCOUNT]), 100, 0)
  drawn(500)
  waiting.serve(leases, 0)
  return { leases, waiting, drawn, refusal }
}

test('what somebody takes while a turn is under way is drawn by the next one', async () => {
  const { leases, waiting, drawn, refusal } = overtaken(1000)
  expect(waiting.draws(leases, 50)).toMatchObject([{ least: 100, most: 100 }])
  drawn(600)
  waiting.serve(leases, 50)
  expect(await refusal).toBeNull()
  expect(leases.free(ACCOUNT)).toBe(0)
})

test('where the balance has no more, the request is refused at once', async () => {
  const { waiting, refusal } = overtaken(599)
  expect(waiting.isEmpty).toBe(true)
  expect(await refusal).toMatchObject({ type: 'in_use', needed: 500 })
})

test('who is overtaken for half a second is refused', async () => {
  const { leases, waiting, refusal } = overtaken(1000)
  waiting.serve(leases, 499)
  expect(waiting.isEmpty).toBe(false)
  waiting.serve(leases, 500)
  expect(await refusal).toMatchObject({ type: 'in_use' })
})

test('those who wait for an account wish together for no more than any account has', () => {
  const leases = new Leases()
  const waiting = new Waiting(() => {})
  for (let count = 0; count < 3; count += 1) {
    const amount = { least: QUOTA_MAX, most: QUOTA_MAX }
    void waiting.wait(leases.holdings([ACCOUNT]), amount)
  }
  expect(waiting.draws(leases, 0)).toMatchObject([{ least: QUOTA_MAX, most: QUOTA_MAX }])
})
