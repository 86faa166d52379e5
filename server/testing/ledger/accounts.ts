import type { Database } from '../../src/store/database.ts'
import type { RowMaker } from '../worlds/row-maker.ts'
import { readToken, readUser } from '../worlds/rows.ts'

export type Accounts = ReturnType<typeof accountsOf>

/** Users, tokens and channels of a ledger's world. */
export function accountsOf({ database, rows }: { database: Database; rows: RowMaker }) {
  /** A user with a balance, booked as the first credit. */
  const addUser = (quota: number) => rows.addUser({ quota })

  /** A token; without `quota` it is unlimited. */
  const addToken = async (user: number, quota?: number): Promise<number> => {
    const { id } = await rows.addToken({ user, ...(quota === undefined ? {} : { quota }) })
    return id
  }

  return {
    addUser,
    addToken,

    /** A user with a balance, and a token of the user, limited by `limit` if there is one. */
    addCustomer: async (quota: number, limit?: number) => {
      const userId = await addUser(quota)
      return { userId, tokenId: await addToken(userId, limit) }
    },

    addChannel: () => rows.addChannel({ base_url: '' }),
    user: (id: number) => readUser({ database }, id),
    token: (id: number) => readToken({ database }, id),
  }
}
