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
