import type { ContentCipher } from '../../../form/content-cipher.ts'

/** What texts of another installation begin with. */
export const FOREIGN = 'foreign_'

/** Encodes only, so that tests and fixtures can read what a client keeps. */
export const READABLE_CIPHER: ContentCipher = {
  encrypt: (text) => Buffer.from(text).toString('base64url'),
  decrypt: (encrypted) => Buffer.from(encrypted, 'base64url').toString('utf8'),
  isOwn: (encrypted) => !encrypted.startsWith(FOREIGN),
}

export const cipherFor = () => READABLE_CIPHER
