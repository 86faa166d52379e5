import { createHash } from 'node:crypto'

/** The first `length` hexadecimal digits of the text's SHA-256. */
export const digestOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits, which say more than hexadecimal digits where few characters are accepted. */
export const shortDigestOf = (text: string, length: number): string =>
  Array.from(createHash('sha256').update(text).digest().subarray(0, length), (byte) =>
    LETTERS.charAt(byte % LETTERS.length),
  ).join('')
