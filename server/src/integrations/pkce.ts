import { createHash } from 'node:crypto'

/** S256 of RFC 7636. */
export const challengeOf = (verifier: string) =>
  createHash('sha256').update(verifier).digest('base64url')
