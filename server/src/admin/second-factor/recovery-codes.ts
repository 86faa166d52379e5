import { newRecoveryCode } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'

const CODES = 10

/** Upper case, without spaces and hyphens, and half as wide as some keyboards type it. */
export const normalCode = (typed: string) =>
  typed
    .normalize('NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase()

/** A code is good for one user. */
export const recoveryCodeHash = (
  { secrets }: Pick<AdminDeps, 'secrets'>,
  { userId, code }: { userId: number; code: string },
) => secrets.hashRecoveryCode(`${userId}\n${normalCode(code)}`)

/** New codes in the place of those there were; they are shown this once. */
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

/** For the first factor of an account; empty for an account that has codes. */
export async function firstRecoveryCodes(
  tx: Tx,
  deps: Pick<AdminDeps, 'secrets'>,
  userId: number,
): Promise<string[]> {
  return (await countRecoveryCodes(tx, userId)) > 0 ? [] : renewRecoveryCodes(tx, deps, userId)
}
