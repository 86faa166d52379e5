import type { Secrets } from '../../secrets.ts'
import type { HashedCode } from '../../store/verification-codes.ts'

export const CODE_MINUTES = 10
export const CODE_SECONDS = CODE_MINUTES * 60

/** The hash of a code is bound to its purpose and address. */
export function hashedCode(
  { hashOneTime }: Secrets,
  { purpose, email }: Pick<HashedCode, 'purpose' | 'email'>,
  code: string,
): HashedCode {
  return { purpose, email, code_hash: hashOneTime(`${purpose}\n${email}\n${code}`) }
}

/** A code typed from a mail. Lower case is accepted. */
export const typedCode = (secrets: Secrets, email: string, code: string) =>
  hashedCode(secrets, { purpose: 'verification', email }, code.toUpperCase())
