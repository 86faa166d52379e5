import { createCredits } from '../../src/ledger/balances/credit.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { createRowMaker } from '../worlds/row-maker.ts'
import { startPatientUpstream } from './upstream.ts'

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
  close: () => Promise<void>
}

export async function openChaosWorld(
  place: Place,
  { quota, tokenQuota }: { quota: number; tokenQuota?: number },
): Promise<ChaosWorld> {
  const upstream = await startPatientUpstream()
  const database = await openDatabase(place)
  const rows = createRowMaker({
    database,
    ledger: createCredits({ database, now: Date.now }),
    secrets: deriveSecrets(SECRET_KEY),
  })
  const user = await rows.addUser({ quota })
  const limit = tokenQuota === undefined ? {} : { quota: tokenQuota }
  const { id: token, key } = await rows.addToken({ user, ...limit })
  const channel = await rows.addChannel({ base_url: upstream.baseUrl })
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
    close: async () => {
      upstream.close()
      await database.close()
    },
  }
}
