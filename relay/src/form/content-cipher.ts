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
