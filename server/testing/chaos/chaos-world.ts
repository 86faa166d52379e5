import { createCredits } from '../../src/ledger/balances/credit.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { createRowMaker } from '../worlds/row-maker.ts'
import { CHAOS_MODELS, startPatientUpstream } from './upstream.ts'

const SECRET_KEY = 'a secret of the tests only'

/** Database and data folder of a server that the test will kill. */
export type Place = { databaseUrl: string | undefined; dataDir: string }

export type ChaosWorld = {
  /** The test's own connection, separate from the server's. */
  database: Database
  /** Environment of the server. A test may override the data folder. */
  variables: Record<string, string>
  key: string
  user: number
  token: number
  channel: number
  setOption: (key: string, value: string) => Promise<void>
  /** A user with a key of their own. */
  addCaller: (quota: number) => Promise<{ user: number; key: string }>
  credit: (user: number, amount: number) => Promise<void>
  close: () => Promise<void>
}

export async function openChaosWorld(
  place: Place,
  { quota, tokenQuota }: { quota: number; tokenQuota?: number },
): Promise<ChaosWorld> {
  const upstream = await startPatientUpstream()
  const database = await openDatabase(place)
  const ledger = createCredits({ database, now: Date.now })
  const rows = createRowMaker({ database, ledger, secrets: deriveSecrets(SECRET_KEY) })
  const user = await rows.addUser({ quota })
  const limit = tokenQuota === undefined ? {} : { quota: tokenQuota }
  const { id: token, key } = await rows.addToken({ user, ...limit })
  const models = CHAOS_MODELS.join(',')
  const channel = await rows.addChannel({ base_url: upstream.baseUrl, models })
  let credits = 0
  const { databaseUrl, dataDir } = place
  return {
    database,
    variables: {
      SECRET_KEY,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    key,
    user,
    token,
    channel,
    setOption: async (key, value) => {
      await database.kysely.insertInto('options').values({ key, value }).execute()
    },
    addCaller: async (given) => {
      const caller = await rows.addUser({ quota: given })
      return { user: caller, key: (await rows.addToken({ user: caller })).key }
    },
    credit: async (ownerId, amount) => {
      credits += 1
      const source = `chaos:${credits}`
      const credit = {
        ownerId,
        amount,
        source,
        kind: 'user',
        reason: 'top-up',
        actorId: 0,
      } as const
      await database.change((tx) => ledger.credit(tx, credit))
    },
    close: async () => {
      upstream.close()
      await database.close()
    },
  }
}
