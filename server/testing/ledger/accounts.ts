import type { Database } from '../../src/store/database.ts'
import type { RowMaker } from '../worlds/row-maker.ts'

export type Accounts = ReturnType<typeof accountsOf>

/** Users, tokens and channels of a ledger's world. */
export const accountsOf = ({ database, rows }: { database: Database; rows: RowMaker }) => ({
  /** A user with a balance, booked as the first credit. */
  addUser: (quota: number) => rows.addUser({ quota }),

  /** A token; without `quota` it is unlimited. */
  addToken: async (user: number, quota?: number): Promise<number> => {
    const { id } = await rows.addToken({ user, ...(quota === undefined ? {} : { quota }) })
    return id
  },

  addChannel: () => rows.addChannel({ base_url: '' }),

  user: (id: number) =>
    database.kysely.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),

  token: (id: number) =>
    database.kysely.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
})
