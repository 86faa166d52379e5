import { type Account, type AccountKey, keyOf } from './account.ts'

/** Values by account. Users and tokens are found by their ids, which need no text of a key. */
export class AccountMap<Value> {
  readonly #users = new Map<number, Value>()
  readonly #tokens = new Map<number, Value>()
  readonly #budgets = new Map<AccountKey, Value>()

  get(account: Account): Value | undefined {
    return account.kind === 'budget'
      ? this.#budgets.get(keyOf(account))
      : this.#owners(account).get(account.ownerId)
  }

  has(account: Account): boolean {
    return this.get(account) !== undefined
  }

  set(account: Account, value: Value) {
    if (account.kind === 'budget') this.#budgets.set(keyOf(account), value)
    else this.#owners(account).set(account.ownerId, value)
  }

  delete(account: Account) {
    if (account.kind === 'budget') this.#budgets.delete(keyOf(account))
    else this.#owners(account).delete(account.ownerId)
  }

  *values(): Generator<Value> {
    yield* this.#users.values()
    yield* this.#tokens.values()
    yield* this.#budgets.values()
  }

  #owners({ kind }: Account): Map<number, Value> {
    return kind === 'user' ? this.#users : this.#tokens
  }
}

/** Each account once. */
export function distinctAccounts(accounts: Iterable<Account>): AccountMap<Account> {
  const distinct = new AccountMap<Account>()
  for (const account of accounts) distinct.set(account, account)
  return distinct
}
