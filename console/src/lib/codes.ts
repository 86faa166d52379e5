export const CODE_LENGTH = 6

/** Digits of a typed or pasted code. Accepts "123 456", "123-456" and full-width digits. */
export const digitsOf = (text: string) =>
  text.normalize('NFKC').replace(/\D/g, '').slice(0, CODE_LENGTH)

/** The server ignores hyphens, spaces and case. */
export const recoveryCodeOf = (text: string) => text.normalize('NFKC').trim()
