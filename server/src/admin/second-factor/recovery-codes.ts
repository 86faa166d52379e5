import { newRecoveryCode } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'

const CODES = 10

/** Upper case, without spaces and hyphens. Full-width input becomes half-width. */
export const normalCode = (typed: string) =>
  typed
    .normalize('NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase()

/** The user id is part of the hash, so a code works for one user only. */
export const recoveryCodeHash = (
  { secrets }: Pick<AdminDeps, 'secrets'>,
  { userId, code }: { userId: number; code: string },
) => secrets.hashRecoveryCode(`${userId}\n${normalCode(code)}`)

/** Replaces all recovery codes. The new ones are shown only once. */
export async function renewRecoveryCodes(
  tx: Tx,
  deps: Pick<AdminDeps, 'secrets'>,
  userId: number,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newRecoveryCode)
  const hashes = codes.map((code) => recoveryCodeHash(deps, { userId, code }))
  await replaceRecoveryCodes(tx, userId, hashes)
  return codes
}

/** Creates codes with the account's first factor; returns none if the account has codes. */
export async function firstRecoveryCodes(
  tx: Tx,
  deps: Pick<AdminDeps, 'secrets'>,
  userId: number,
): Promise<string[]> {
  return (await countRecoveryCodes(tx, userId)) > 0 ? [] : renewRecoveryCodes(tx, deps, userId)
}
