import { expect, test } from 'vitest'
import { request, settled } from '../../../testing/ledger/batch-world.ts'
import { type Account, tokenAccount, userAccount } from '../account.ts'
import { addChargedAccounts } from './charge.ts'

const USER = userAccount(7)
const TOKEN = tokenAccount(11)
const BUDGET = { kind: 'budget', ownerId: 11, period: 86_400 } as const

/**
 * After peers closed its epoch, a request holds nothing, but whether its token is limited is still
 * known.
 */
// guards: C24.2
test.each([
  { tokenLimited: true, held: [USER], charged: [USER, TOKEN] },
  { tokenLimited: false, held: [USER, TOKEN], charged: [USER, TOKEN] },
  { tokenLimited: false, held: [USER], charged: [USER] },
  { tokenLimited: false, held: [USER, BUDGET], charged: [USER, BUDGET] },
])(
  'with tokenLimited $tokenLimited, a hold of $held.length accounts charges $charged.length',
  (given) => {
    const { tokenLimited, held, charged } = given
    const parts = held.map((account) => ({ account, amount: 30 }))
    const record = settled(request(7, 11, { tokenLimited }), 30, { parts })
    const accounts: Account[] = []
    addChargedAccounts(accounts, record)
    expect(accounts).toEqual(charged)
  },
)
