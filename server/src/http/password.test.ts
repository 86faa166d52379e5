import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './password.ts'

test('a password verifies against its own hash only, and no two hashes are alike', async () => {
  const hash = await hashPassword('correct horse')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await hashPassword('correct horse')).not.toBe(hash)
  expect(await verifyPassword('correct horse', hash)).toBe(true)
  expect(await verifyPassword('Correct horse', hash)).toBe(false)
  expect(await verifyPassword('', hash)).toBe(false)
})

test('what is no hash verifies nothing', async () => {
  const broken = [undefined, '', 'plain', '$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA']
  for (const stored of broken) expect(await verifyPassword('plain', stored)).toBe(false)
})

test('many at once wait for each other; too many are refused, and it goes on', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, () => verifyPassword('x', '')),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(8)
  expect(await verifyPassword('x', await hashPassword('x'))).toBe(true)
})
