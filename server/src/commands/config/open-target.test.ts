import { beforeEach, describe, expect, test } from 'vitest'
import { DATABASES, openTestDatabase } from '../../../testing/harness/databases.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { ConfigurationError, readEnv } from '../../process/env.ts'
import { seed } from '../../process/seed.ts'
import { deriveSecrets } from '../../secrets.ts'
import { openDatabase } from '../../store/database.ts'
import { openTarget } from './open-target.ts'

const SECRET_KEY = 'the key of this database, as the server has it'

describe.each(DATABASES)('a command for a configuration file on %s', (kind) => {
  const files = openPerTest(() => openTestDatabase(kind))
  beforeEach(async () => {
    await openDatabase(files).then((database) => database.close())
  })
  const envWith = (secretKey: string) =>
    readEnv({ DATA_DIR: files.dataDir, DATABASE_URL: files.databaseUrl, SECRET_KEY: secretKey })

  test('opens the database with the secret key of the server only', async () => {
    const env = envWith(SECRET_KEY)
    const never = new ConfigurationError('the server has never been started.')
    await expect(openTarget(env)).rejects.toThrow(never)

    const database = await openDatabase(files)
    await seed({ database, secrets: deriveSecrets(SECRET_KEY), env, now: Date.now })
    await database.close()
    const { close } = await openTarget(env)
    await close()
    await expect(openTarget(envWith('the key of a folder of another machine'))).rejects.toThrow(
      /^SECRET_KEY is not the key this database was written with/,
    )
  })
})
