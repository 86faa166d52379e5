import { describe, expect, test } from 'vitest'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { createPasswords } from '../http/password.ts'
import { deriveSecrets } from '../secrets.ts'
import { openDatabase } from '../store/database.ts'
import { ConfigurationError } from './env.ts'
import { seed } from './seed.ts'

const env = {
  DATA_DIR: '/nowhere',
  INITIAL_ROOT_PASSWORD: '123456',
  INITIAL_ROOT_TOKEN: undefined,
  INITIAL_ROOT_ACCESS_TOKEN: undefined,
}
const secrets = deriveSecrets('the key of this database')
const now = () => 1_700_000_000_000

describe.each(DATABASES)('seed on %s', (kind) => {
  const files = openPerTest(() => openTestDatabase(kind))
  const database = openPerTest(() => openDatabase(files))
  const users = () => database.kysely.selectFrom('users').selectAll().execute()

  test('an empty database gets a root user, whose balance is booked', async () => {
    expect(await seed({ database, secrets, env, now })).toBe(true)
    const [root, ...others] = await users()
    expect(others).toEqual([])
    expect(root).toMatchObject({
      username: 'root',
      display_name: 'Root User',
      role: 100,
      status: 1,
      quota: 500_000_000_000_000,
      access_token_hash: null,
      created_time: 1_700_000_000,
    })
    expect(await createPasswords().verify('123456', root?.password_hash)).toBe(true)
    expect(await database.kysely.selectFrom('credits').selectAll().execute()).toMatchObject([
      { kind: 'user', owner_id: root?.id, amount: 500_000_000_000_000, source: 'seed:root' },
    ])
    expect(await database.kysely.selectFrom('tokens').selectAll().execute()).toEqual([])
  })

  test('password, token and access token come from the environment', async () => {
    const key = 'k'.repeat(48)
    const given = {
      DATA_DIR: env.DATA_DIR,
      INITIAL_ROOT_PASSWORD: 'another password',
      INITIAL_ROOT_TOKEN: key,
      INITIAL_ROOT_ACCESS_TOKEN: 'a'.repeat(32),
    }
    await seed({ database, secrets, env: given, now })
    const [root] = await users()
    expect(await createPasswords().verify('another password', root?.password_hash)).toBe(true)
    expect(await createPasswords().verify('123456', root?.password_hash)).toBe(false)
    expect(root?.access_token_hash).toBe(secrets.hashAccessToken('a'.repeat(32)))
    expect(await database.kysely.selectFrom('tokens').selectAll().execute()).toMatchObject([
      {
        name: 'Initial Root Token',
        key_hash: secrets.hashRelayKey(key),
        unlimited_quota: 1,
        expired_time: -1,
        status: 1,
      },
    ])
  })

  test('a new installation answers 404 for unknown models and rejects models without a price, an older one as before', async () => {
    const options = () => database.kysely.selectFrom('options').selectAll().orderBy('key').execute()
    await seed({ database, secrets, env, now })
    expect(await options()).toEqual([
      { key: 'DefaultModelRatio', value: 'null' },
      { key: 'UnknownModelStatus', value: '404' },
    ])
    await database.kysely.deleteFrom('options').execute()
    await seed({ database, secrets, env, now })
    expect(await options()).toEqual([])
  })

  test('a second start changes nothing', async () => {
    await seed({ database, secrets, env, now })
    const before = await users()
    const other = { ...env, INITIAL_ROOT_PASSWORD: 'changed since' }
    expect(await seed({ database, secrets, env: other, now })).toBe(false)
    expect(await users()).toEqual(before)
  })

  test('concurrent first starts create one root', async () => {
    const second = await openDatabase(files)
    const seeded = await Promise.all(
      [database, second, database, second].map((each) =>
        seed({ database: each, secrets, env, now }),
      ),
    )
    await second.close()
    expect(seeded.filter(Boolean)).toHaveLength(1)
    expect(await users()).toHaveLength(1)
  })

  test('another secret key is refused by name, before anything is written', async () => {
    await seed({ database, secrets, env, now })
    const before = await users()
    const other = deriveSecrets('the key of another database')
    const start = seed({ database, secrets: other, env, now })
    await expect(start).rejects.toThrow(ConfigurationError)
    await expect(start).rejects.toThrow(/^SECRET_KEY /)
    expect(await users()).toEqual(before)
    expect(await seed({ database, secrets, env, now })).toBe(false)
  })
})
