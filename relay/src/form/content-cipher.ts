import { isRecord, type JsonRecord } from '../bytes/json-value.ts'
import type { NestedJson } from './nested-json.ts'

/**
 * Encrypts what clients keep for the gateway, for one user of one installation. The relay itself
 * has no key.
 */
export type ContentCipher = {
  readonly encrypt: (text: string) => string
  /** Null for a text that was altered, or encrypted for another user or by another installation. */
  readonly decrypt: (encrypted: string) => string | null
  /**
   * Whether a text names this installation, for any user. Gateways may be providers of each other,
   * and only the one that encrypted a text can read it.
   */
  readonly isOwn: (encrypted: string) => boolean
}

export type CipherFor = (user: number) => ContentCipher

/** Ids of users begin at 1. */
export const NO_USER = 0

/** Reads nothing: for an outline, whose texts are cut. */
export const NO_CIPHER: ContentCipher = {
  encrypt: () => '',
  decrypt: () => null,
  isOwn: () => true,
}

/** What decrypts the lists of a request. */
export type ListReader = { readonly cipher: ContentCipher; readonly nested: NestedJson }

/** A list that a client keeps. The prefix tells whose it is, and what it holds. */
export const encryptList = (
  prefix: string,
  entries: readonly JsonRecord[],
  cipher: ContentCipher,
): string => prefix + cipher.encrypt(JSON.stringify(entries))

/** Null for another prefix, another user or installation, or an altered text. */
export function decryptList(
  prefix: string,
  encrypted: string,
  { cipher, nested }: ListReader,
): JsonRecord[] | null {
  if (!encrypted.startsWith(prefix)) return null
  const text = cipher.decrypt(encrypted.slice(prefix.length))
  const entries = text === null ? null : nested.parse(text)
  return Array.isArray(entries) ? entries.filter(isRecord) : null
}
