import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { DATABASES, openKeptDatabase } from '../../../testing/harness/databases.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { statementsDuring } from '../../../testing/harness/statements.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { seed } from '../../process/seed.ts'
import { deriveSecrets } from '../../secrets.ts'
import { openDatabase } from '../../store/database.ts'
import { type Authenticate, createAuthenticate } from './authenticate.ts'

const KEY = 'k'.repeat(48)
const START = 1000
const secrets = deriveSecrets('the key of this database')

describe.each(DATABASES)('the caller of a key, on %s', (kind) => {
  let authenticate: Authenticate
  let nowMs: number
  /** Sends a change notice, as the database does. */
  let announce: () => unknown

  const files = openPerTest(() => openKeptDatabase(kind))
  const database = openPerTest(() => openDatabase(files))
  beforeEach(async () => {
    const env = {
      DATA_DIR: '/nowhere',
      INITIAL_ROOT_PASSWORD: '12345678',
      INITIAL_ROOT_TOKEN: KEY,
      INITIAL_ROOT_ACCESS_TOKEN: undefined,
    }
    await seed({ database, secrets, env, now: () => 1_700_000_000_000 })
    nowMs = START
    const announcing = { ...database, onChange: (listener: () => unknown) => (announce = listener) }
    authenticate = createAuthenticate(announcing, secrets, { monotonic: () => nowMs })
  })
  const callerOf = (key: string) => {
    const request = new IncomingMessage(new Socket())
    request.headers.authorization = `Bearer sk-${key}`
    return authenticate.caller(request)
  }
  const ask = async (key = KEY) => callerOf(key)
  const asked = async (run: () => Promise<unknown>) =>
    (await statementsDuring(run)).filter((sql) => sql.includes('key_hash'))
  /** Changes a row like another node whose notice has not arrived. */
  const rename = (name: string) =>
    database.kysely.updateTable('tokens').set({ name }).where('id', '>', 0).execute()

  test('is read once for any number of concurrent requests', async () => {
    expect(await asked(() => Promise.all([ask(), ask(), ask()]))).toHaveLength(1)
    expect(await asked(ask)).toEqual([])
  })

  test('is returned synchronously if the key is cached', async () => {
    expect(await callerOf(KEY)).toEqual(callerOf(KEY))
    expect(callerOf(KEY)).not.toBeInstanceOf(Promise)
  })

  test('is not cached if it changed during the read', async () => {
    const early = ask()
    announce()
    expect((await early).token.name).toBe('Initial Root Token')
    await rename('renamed')
    expect((await ask()).token.name).toBe('renamed')
  })

  test('is looked up by both hashes once in five seconds if the key is unknown', async () => {
    const guess = () => ask('g'.repeat(48)).catch(() => null)
    expect(await asked(guess)).toHaveLength(2)
    nowMs = START + 5000
    expect(await asked(guess)).toEqual([])
    nowMs = START + 5001
    expect(await asked(guess)).toHaveLength(2)
  })

  test('is refreshed in the background during the second half of a minute', async () => {
    expect((await ask()).token.name).toBe('Initial Root Token')
    await rename('renamed')
    nowMs = START + 30_000
    expect((await ask()).token.name).toBe('Initial Root Token')
    nowMs = START + 30_001
    const reads = await asked(async () => {
      expect((await ask()).token.name).toBe('Initial Root Token')
      await waitUntil(async () => (await ask()).token.name === 'renamed')
    })
    expect(reads).toHaveLength(1)
  })

  test('is cached for at most a minute', async () => {
    await ask()
    await rename('renamed')
    nowMs = START + 60_001
    expect((await ask()).token.name).toBe('renamed')
  })

  test('is unknown if the key is gone when the cache is refreshed', async () => {
    await ask()
    await database.kysely.deleteFrom('tokens').execute()
    nowMs = START + 30_001
    await ask()
    await waitUntil(async () => (await ask().catch(() => null)) === null)
    await expect(ask()).rejects.toMatchObject({ status: 401 })
  })

  describe('reread', () => {
    test('reads once more; requests that arrive during the read share the next one', async () => {
      const known = await ask()
      const crowd = () => Promise.all(Array.from({ length: 20 }, () => authenticate.reread(known)))
      expect(await asked(crowd)).toHaveLength(2)
      await rename('renamed')
      for (const { token } of await crowd()) expect(token.name).toBe('renamed')
      expect((await ask()).token.name).toBe('renamed')
    })

    test('keeps the channel named by the key, and refuses a deleted key', async () => {
      const known = await ask(`${KEY}-7`)
      expect(await authenticate.reread(known)).toMatchObject({ pinned: '7' })
      await database.kysely.deleteFrom('tokens').execute()
      await expect(authenticate.reread(known)).rejects.toMatchObject({ status: 401 })
      await expect(ask()).rejects.toMatchObject({ status: 401 })
    })

    test('keeps the cached caller on failure, and the next call reads again', async () => {
      const known = await ask()
      const { kysely } = database
      await kysely.schema.alterTable('tokens').renameTo('tokens_away').execute()
      await expect(authenticate.reread(known)).rejects.toMatchObject({ status: 503 })
      expect((await ask()).token.name).toBe('Initial Root Token')
      await kysely.schema.alterTable('tokens_away').renameTo('tokens').execute()
      expect((await authenticate.reread(known)).token.name).toBe('Initial Root Token')
    })
  })
})
