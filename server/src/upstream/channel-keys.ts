import { createHash } from 'node:crypto'

export type StoredKey = { readonly key: string; readonly isEnabled: boolean }

/** Marks a disabled key. No key contains a space. */
const DISABLED = ' '

/** How the keys of a channel are joined before they are sealed; at least one key. */
export const joinKeys = (keys: readonly string[]) => keys.join('\n')

/** The enabled keys. */
export const splitKeys = (joined: string): string[] =>
  joined.split('\n').filter((line) => !line.startsWith(DISABLED))

/** All keys in their order, the disabled ones included. */
export const readKeys = (joined: string): StoredKey[] =>
  joined.split('\n').map((line) => ({ key: line.trim(), isEnabled: !line.startsWith(DISABLED) }))

export const writeKeys = (keys: readonly StoredKey[]): string =>
  joinKeys(keys.map(({ key, isEnabled }) => (isEnabled ? key : DISABLED + key)))

const FINGERPRINT_LENGTH = 8

/** Identifies a key among those of a channel without revealing it. */
export const keyFingerprint = (key: string): string =>
  createHash('sha256').update(key).digest('base64url').slice(0, FINGERPRINT_LENGTH)

const BEGIN_LENGTH = 3
const END_LENGTH = 4
/** The shown characters of a shorter key would be too large a part of it. */
const MASKED_LENGTH_MIN = 24

/** Enough of a key to tell it from others, and too little to use it. */
export const maskKey = (key: string): string =>
  key.length < MASKED_LENGTH_MIN ? '…' : `${key.slice(0, BEGIN_LENGTH)}…${key.slice(-END_LENGTH)}`
