import { expect, test } from 'vitest'
import { createPasswords } from './password.ts'

const passwords = createPasswords()

test('a password verifies against its own hash only, and no two hashes are alike', async () => {
  const hash = await passwords.hash('correct horse')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await passwords.hash('correct horse')).not.toBe(hash)
  expect(await passwords.verify('correct horse', hash)).toBe(true)
  expect(await passwords.verify('Correct horse', hash)).toBe(false)
  expect(await passwords.verify('', hash)).toBe(false)
})

test('an invalid hash verifies nothing', async () => {
  const broken = [undefined, '', 'plain', '$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA']
  for (const stored of broken) expect(await passwords.verify('plain', stored)).toBe(false)
})

test('concurrent hashes queue; too many are refused, and later ones succeed', async () => {
  const { hash, verify } = createPasswords({ memoryKib: 8, passes: 1, lanes: 1 })
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => verify('x', '')))
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(8)
  expect(await verify('x', await hash('x'))).toBe(true)
})

/** The hash of `U*U` in the test vectors of crypt_blowfish. */
const BCRYPT = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

test('a bcrypt hash of another gateway verifies, and is outdated', async () => {
  expect(await passwords.verify('U*U', BCRYPT)).toBe(true)
  expect(await passwords.verify('U*V', BCRYPT)).toBe(false)
  expect(await passwords.verify('U*U', BCRYPT.replace('$05$', '$31$'))).toBe(false)
  expect(passwords.isOutdated(BCRYPT)).toBe(true)
  expect(passwords.isOutdated(await passwords.hash('U*U'))).toBe(false)
})
