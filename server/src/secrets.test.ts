import { expect, test } from 'vitest'
import { deriveSecrets, newRelayKey } from './secrets.ts'

const secrets = deriveSecrets('a master key of some length')

test('an encrypted key decrypts to the original, and looks different each time', () => {
  const key = newRelayKey()
  const sealed = secrets.sealRelayKey(key)
  expect(secrets.openRelayKey(sealed)).toBe(key)
  expect(secrets.sealRelayKey(key)).not.toBe(sealed)
  expect(sealed).not.toContain(key)
})

test('a key encrypted for one purpose does not decrypt for another', () => {
  expect(() => secrets.openChannelKey(secrets.sealRelayKey('key'))).toThrow()
})

test('a changed byte is detected', () => {
  const bytes = Buffer.from(secrets.sealRelayKey('key'), 'base64url')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  expect(() => secrets.openRelayKey(bytes.toString('base64url'))).toThrow()
})

test('another master key gives other hashes and another fingerprint', () => {
  const other = deriveSecrets('another master key')
  expect(other.fingerprint).not.toBe(secrets.fingerprint)
  expect(other.hashRelayKey('key')).not.toBe(secrets.hashRelayKey('key'))
})

test('relay keys have 48 letters and digits', () => {
  expect(newRelayKey()).toMatch(/^[0-9A-Za-z]{48}$/)
})
