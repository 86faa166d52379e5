import { describe, expect, test } from 'vitest'
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

describe('what clients keep for the gateway', () => {
  const cipher = secrets.contentCipherFor(7)
  const text = '[{"type":"summary","text":"摘要"}]'
  const encrypted = cipher.encrypt(text)

  test('is decrypted on every node with the same key, and looks different each time', () => {
    const node = deriveSecrets('a master key of some length').contentCipherFor(7)
    expect(node.decrypt(encrypted)).toBe(text)
    expect(node.encrypt(text)).not.toBe(encrypted)
    expect(node.decrypt(node.encrypt(''))).toBe('')
  })

  test('is known as that of the installation, for any user', () => {
    expect(secrets.contentCipherFor(8).isOwn(encrypted)).toBe(true)
    expect(deriveSecrets('another master key').contentCipherFor(7).isOwn(encrypted)).toBe(false)
  })

  test('is not decrypted for another user, by another installation or for another purpose', () => {
    expect(secrets.contentCipherFor(8).decrypt(encrypted)).toBeNull()
    expect(deriveSecrets('another master key').contentCipherFor(7).decrypt(encrypted)).toBeNull()
    const installation = encrypted.slice(0, 8)
    expect(cipher.decrypt(installation + secrets.sealStored('7', text))).toBeNull()
    expect(cipher.decrypt(installation + secrets.sealOption(text))).toBeNull()
  })

  test('is not decrypted if any byte was altered, be it of the nonce, the tag or the text', () => {
    const installation = encrypted.slice(0, 8)
    const bytes = Buffer.from(encrypted.slice(8), 'base64url')
    expect(bytes.length).toBe(12 + 16 + Buffer.byteLength(text))
    for (const at of bytes.keys()) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ 0x40
      expect(cipher.decrypt(installation + altered.toString('base64url'))).toBeNull()
    }
  })

  test('is not decrypted if it was cut or extended, or is no text of the gateway', () => {
    for (let length = 0; length < encrypted.length; length += 1) {
      expect(cipher.decrypt(encrypted.slice(0, length))).toBeNull()
    }
    const broken = [
      `${encrypted}A`,
      `${encrypted}=`,
      ` ${encrypted}`,
      `${encrypted}\u0000`,
      '!',
      '摘要',
    ]
    for (const one of [...broken, 'A'.repeat(1_000_000)]) expect(cipher.decrypt(one)).toBeNull()
  })
})
