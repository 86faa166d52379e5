import { createHash } from 'node:crypto'

/** How the keys of a channel are joined before they are sealed; at least one key. */
export const joinKeys = (keys: readonly string[]) => keys.join('\n')

export const splitKeys = (joined: string) => joined.split('\n')

const FINGERPRINT_LENGTH = 8

/** Identifies a key among those of a channel without revealing it. */
export const keyFingerprint = (key: string): string =>
  createHash('sha256').update(key).digest('base64url').slice(0, FINGERPRINT_LENGTH)
