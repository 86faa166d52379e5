import type { Secrets } from '../../secrets.ts'
import type { GivenCode } from '../../store/verification-codes.ts'

export const CODE_MINUTES = 10
export const CODE_SECONDS = CODE_MINUTES * 60

/** The hash of a code is bound to its purpose and address. */
export function hashedCode(
  { hashOneTime }: Secrets,
  { purpose, email }: Pick<GivenCode, 'purpose' | 'email'>,
  code: string,
): GivenCode {
  return { purpose, email, code_hash: hashOneTime(`${purpose}\n${email}\n${code}`) }
}

/** A code typed from a mail. Lower case is accepted. */
export const typedCode = (secrets: Secrets, email: string, code: string) =>
  hashedCode(secrets, { purpose: 'verification', email }, code.toUpperCase())
