import type { Secrets } from '../../secrets.ts'
import type { GivenCode } from '../../store/verification-codes.ts'

export const CODE_MINUTES = 10
export const CODE_SECONDS = CODE_MINUTES * 60

/** The hash of a code is good for one purpose and one address. */
export function hashedCode(
  { hashOneTime }: Secrets,
  { purpose, email }: Pick<GivenCode, 'purpose' | 'email'>,
  code: string,
): GivenCode {
  return { purpose, email, code_hash: hashOneTime(`${purpose}\n${email}\n${code}`) }
}

/** What was typed from a mail; people type small letters, too. */
export const typedCode = (secrets: Secrets, email: string, code: string) =>
  hashedCode(secrets, { purpose: 'verification', email }, code.toUpperCase())
