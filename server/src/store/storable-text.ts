/**
 * Text that both databases can store: no NUL, no lone surrogates, at most `lengthMax` UTF-16 units.
 */
export function storableText(text: string, lengthMax: number): string {
  return text.replaceAll('\0', '').slice(0, lengthMax).toWellFormed()
}
