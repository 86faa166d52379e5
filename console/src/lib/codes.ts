export const CODE_LENGTH = 6

/** The digits of a pasted or typed code: "123 456", "123-456" and full-width digits included. */
export const digitsOf = (text: string) =>
  text.normalize('NFKC').replace(/\D/g, '').slice(0, CODE_LENGTH)

/** A recovery code as it is sent; the server ignores hyphens, spaces and case. */
export const recoveryCodeOf = (text: string) => text.normalize('NFKC').trim()
