export const CODE_LENGTH = 6

/** Digits of a typed or pasted code. Accepts "123 456", "123-456" and full-width digits. */
export const digitsOf = (text: string) =>
  text.normalize('NFKC').replace(/\D/g, '').slice(0, CODE_LENGTH)

/** The server ignores hyphens, spaces and case. */
export const recoveryCodeOf = (text: string) => text.normalize('NFKC').trim()

const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g

/** Without the invisible characters that chat programs and web pages put into copied text. */
export const visibleText = (text: string) => text.replace(INVISIBLE, '')

/** A pasted code, which contains no spaces. */
export const pastedCode = (text: string) => visibleText(text).replace(/\s/g, '')
